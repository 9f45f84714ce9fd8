import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { DeviceProvider } from "../devices/device-provider.ts";
import type { GpuLeases } from "../devices/gpu-leases.ts";
import { keepFigure } from "./keep-figure.ts";
import { addGpuGauges } from "./gpu-gauges.ts";

/** One request that was answered. */
interface RequestObservation {
  /** Pattern of its route, never the path itself. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface NodeMetrics {
  observeRequest(observation: RequestObservation): void;
  /** @param reason one of the closed list. */
  countProblem(reason: string): void;
  /** The text format of Prometheus. */
  read(): Promise<string>;
  readonly contentType: string;
}

/** Read at each scrape; none of it may take longer than a scrape may. */
export interface MetricsSources {
  readonly devices: Pick<DeviceProvider, "isSimulated" | "latest">;
  readonly leases: Pick<GpuLeases, "uses" | "list">;
  /** Jobs by state, those that have ended included as far as they are kept. */
  readonly countJobs: () => Readonly<Record<string, number>>;
  /** Models by state. */
  readonly countModels: () => Readonly<Record<string, number>>;
  /** Bytes of events that workers have written and the agent has not read; undefined while they are not known. */
  readonly eventBacklogBytes: () => Promise<number | undefined>;
  /** Bytes of what the cache holds. Walks the disk; asked at most once a minute, and never waited for. */
  readonly measureCache: () => Promise<number>;
}

const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Metrics of the agent, with those of its process, in a registry of their own. */
export function createMetrics(sources: MetricsSources): NodeMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "node_agent_" });
  addGpuGauges(registry, sources.devices, sources.leases);
  addWorkGauges(registry, sources);
  const requests = new Histogram({
    name: "node_agent_http_request_seconds",
    help: "Time from the head of a request to the end of its answer, by route, method and class of status",
    labelNames: ["route", "method", "status"],
    buckets: secondBuckets,
    registers,
  });
  const problems = new Counter({
    name: "node_agent_problems_total",
    help: "Requests that were refused or failed, by the reason of the problem",
    labelNames: ["reason"],
    registers,
  });
  return {
    observeRequest: ({ route, method, status, durationMs }) =>
      requests.observe({ route, method, status: `${Math.floor(status / 100)}xx` }, durationMs / 1000),
    countProblem: (reason) => problems.inc({ reason }),
    read: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function addWorkGauges(registry: Registry, sources: MetricsSources): void {
  addCounts(registry, { name: "node_agent_jobs", help: "Jobs by state", read: sources.countJobs });
  addCounts(registry, { name: "node_agent_models", help: "Models in memory by state", read: sources.countModels });
  addFigure(registry, {
    name: "node_agent_event_backlog_bytes",
    help: "Bytes of events that jobs have written and the agent has not read yet; absent while unknown",
    read: sources.eventBacklogBytes,
  });
  addFigure(registry, {
    name: "node_agent_cache_bytes",
    help: "Bytes of what the cache holds; absent while unknown",
    read: keepFigure(sources.measureCache),
  });
  addFigure(registry, {
    name: "node_agent_gpu_leases",
    help: "Jobs and models that have a right to GPUs or to the CPU",
    read: () => sources.leases.list().length,
  });
}

type Figure = number | undefined;

interface GaugeOf<T> {
  readonly name: string;
  readonly help: string;
  readonly read: () => T;
}

function addCounts(registry: Registry, { name, help, read }: GaugeOf<Readonly<Record<string, number>>>): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ["state"],
    registers: [],
    collect() {
      this.reset();
      for (const [state, count] of Object.entries(read())) this.set({ state }, count);
    },
  });
  registry.registerMetric(gauge);
}

function addFigure(registry: Registry, { name, help, read }: GaugeOf<Figure | Promise<Figure>>): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      const value = await read();
      // Without a value a gauge would show 0.
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
  registry.registerMetric(gauge);
}
