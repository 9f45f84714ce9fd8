import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** One request that was answered. */
export interface RequestObservation {
  /** Pattern of its route, never the path itself. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
  /** What came over the connection for it, headers included. */
  readonly receivedBytes: number;
  /** Whether the operation takes a file. */
  readonly isUpload: boolean;
}

/** Counts of this node's requests; see `docs/guides/platform.md`. */
export interface PlatformMetrics {
  observeRequest(observation: RequestObservation): void;
  /** @param reason one of the closed list. */
  countProblem(reason: string): void;
  /** A request that came too soon after others, of one user or of one address. */
  countRateLimit(limit: "user" | "address"): void;
  /** The text format of Prometheus. */
  read(): Promise<string>;
  readonly contentType: string;
}

/** Read at each scrape. */
export interface MetricsSources {
  readonly readPool: () => PoolReading;
  /** Objects by store and state. Asked at most once a minute. */
  readonly countObjects: () => Promise<readonly ObjectReading[]>;
}

export interface PoolReading {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

export interface ObjectReading {
  readonly store: string;
  readonly state: string;
  readonly count: number;
  readonly sizeBytes: number;
}

const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Metrics of the platform, with those of its process, in a registry of their own. */
export function createMetrics(sources: MetricsSources): PlatformMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "platform_" });
  addPoolGauges(registry, sources.readPool);
  addObjectGauges(registry, sources.countObjects);
  const requests = createRequestMetrics(registry);
  const problems = new Counter({
    name: "platform_problems_total",
    help: "Requests that were refused or failed, by the reason of the problem",
    labelNames: ["reason"],
    registers,
  });
  const rateLimits = new Counter({
    name: "platform_rate_limit_refusals_total",
    help: "Requests refused because one user or one address made too many",
    labelNames: ["limit"],
    registers,
  });
  return {
    observeRequest: (observation) => observe(requests, observation),
    countProblem: (reason) => problems.inc({ reason }),
    countRateLimit: (limit) => rateLimits.inc({ limit }),
    read: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

type RequestMetrics = ReturnType<typeof createRequestMetrics>;

function createRequestMetrics(registry: Registry) {
  const registers = [registry];
  return {
    duration: new Histogram({
      name: "platform_http_request_seconds",
      help: "Time from the head of a request to the end of its answer, by route, method and class of status",
      labelNames: ["route", "method", "status"],
      buckets: secondBuckets,
      registers,
    }),
    received: new Counter({
      name: "platform_http_received_bytes_total",
      help: "Bytes of requests with their headers; `upload`: of operations that take a file",
      labelNames: ["kind"],
      registers,
    }),
  };
}

function observe(metrics: RequestMetrics, observation: RequestObservation): void {
  const { route, method, status, durationMs, receivedBytes, isUpload } = observation;
  metrics.duration.observe({ route, method, status: `${Math.floor(status / 100)}xx` }, durationMs / 1000);
  metrics.received.inc({ kind: isUpload ? "upload" : "other" }, receivedBytes);
}

function addPoolGauges(registry: Registry, readPool: () => PoolReading): void {
  const gauge = (name: string, help: string, read: (pool: PoolReading) => number): void => {
    const collected = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(read(readPool()));
      },
    });
    registry.registerMetric(collected);
  };
  gauge(
    "platform_database_connections_in_use",
    "Connections to the database that requests hold",
    ({ totalCount, idleCount }) => totalCount - idleCount,
  );
  gauge("platform_database_connections_idle", "Connections that wait for a request", ({ idleCount }) => idleCount);
  gauge("platform_database_connections_max", "Connections that there may be", ({ options }) => options.max);
  gauge("platform_database_waiting", "Requests that wait for a connection", ({ waitingCount }) => waitingCount);
}

const countTimeoutMs = 5000;
const countLifeMs = 60_000;

// A count that cannot be had is absent: the last one, or none at all, would look like the truth.
function addObjectGauges(registry: Registry, countObjects: MetricsSources["countObjects"]): void {
  const read = rarely(countObjects);
  const gauge = (name: string, help: string, valueOf: (reading: ObjectReading) => number): void => {
    const collected = new Gauge({
      name,
      help,
      labelNames: ["store", "state"],
      registers: [],
      async collect() {
        const readings = await read();
        this.reset();
        for (const reading of readings) this.set({ store: reading.store, state: reading.state }, valueOf(reading));
      },
    });
    registry.registerMetric(collected);
  };
  gauge("platform_storage_objects", "Objects that the database knows, by store and state", ({ count }) => count);
  gauge("platform_storage_bytes", "Their size; of one that is being written it is not known", (one) => one.sizeBytes);
}

/** The answer of the last minute, or a new one; nothing when it fails or takes too long. */
function rarely(work: MetricsSources["countObjects"]): MetricsSources["countObjects"] {
  let answer: Promise<readonly ObjectReading[]> | undefined;
  const forget = (): void => {
    answer = undefined;
  };
  const begin = (): Promise<readonly ObjectReading[]> => {
    const begun = work();
    begun.then(() => setTimeout(forget, countLifeMs).unref(), forget);
    return begun;
  };
  return async () => {
    answer ??= begin();
    const { promise: late, resolve } = Promise.withResolvers<readonly ObjectReading[]>();
    const timer = setTimeout(() => resolve([]), countTimeoutMs);
    try {
      return await Promise.race([answer, late]);
    } catch {
      return [];
    } finally {
      clearTimeout(timer);
    }
  };
}
