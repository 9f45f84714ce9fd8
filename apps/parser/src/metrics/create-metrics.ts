import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** What one parse tells the metrics. */
export interface ParseObservation {
  readonly fileType: string;
  readonly engine: string;
  /** `ok`, or the reason of the failure. */
  readonly outcome: string;
  readonly durationMs: number;
  readonly stageMs: Readonly<Partial<Record<string, number>>>;
  readonly fileBytes: number;
  readonly contentBytes: number;
}

/** Read at each scrape. */
export interface PoolReading {
  readonly busy: number;
  readonly idle: number;
  readonly queued: number;
  /** Workers that ended, by cause, since the start. */
  readonly endedByCause: Readonly<Record<string, number>>;
}

export interface Metrics {
  observe(observation: ParseObservation): void;
  /** Counts a call that was turned away before it became a document. */
  countRefusal(reason: string): void;
  /** The text format of Prometheus. */
  read(): Promise<string>;
  readonly contentType: string;
}

const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const byteBuckets = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Metrics of the service, with those of its process, in a registry of their own. */
export function createMetrics(isolationLevel: string, readPool: () => PoolReading): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "docparser_" });
  const parses = createParseMetrics(registry);
  addPoolGauges(registry, readPool);
  const isolation = new Gauge({
    name: "docparser_isolation_level",
    help: "1 for the isolation that workers run under",
    labelNames: ["level"],
    registers: [registry],
  });
  isolation.set({ level: isolationLevel }, 1);
  const refusals = new Counter({
    name: "docparser_calls_refused_total",
    help: "Calls turned away before their handler, by reason: without the token, too large, too many, late",
    labelNames: ["reason"],
    registers: [registry],
  });
  return {
    observe: (observation) => observe(parses, observation),
    countRefusal: (reason) => refusals.inc({ reason }),
    read: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

type ParseMetrics = ReturnType<typeof createParseMetrics>;

function createParseMetrics(registry: Registry) {
  const registers = [registry];
  return {
    documents: new Counter({
      name: "docparser_documents_total",
      help: "Documents answered, by type, engine and outcome (ok or the reason)",
      labelNames: ["file_type", "engine", "outcome"],
      registers,
    }),
    duration: new Histogram({
      name: "docparser_document_seconds",
      help: "Time from the call to the answer",
      labelNames: ["file_type"],
      buckets: secondBuckets,
      registers,
    }),
    stage: new Histogram({
      name: "docparser_stage_seconds",
      help: "Time of one stage: fetch, detect, parse",
      labelNames: ["stage"],
      buckets: secondBuckets,
      registers,
    }),
    fileBytes: new Histogram({ name: "docparser_file_bytes", help: "Size of files", buckets: byteBuckets, registers }),
    contentBytes: new Histogram({
      name: "docparser_content_bytes",
      help: "Size of answers",
      buckets: byteBuckets,
      registers,
    }),
  };
}

function observe(metrics: ParseMetrics, observation: ParseObservation): void {
  const fileType = observation.fileType || "unknown";
  metrics.documents.inc({ file_type: fileType, engine: observation.engine || "none", outcome: observation.outcome });
  metrics.duration.observe({ file_type: fileType }, observation.durationMs / 1000);
  for (const [stage, ms] of Object.entries(observation.stageMs)) metrics.stage.observe({ stage }, (ms ?? 0) / 1000);
  if (observation.fileBytes > 0) metrics.fileBytes.observe(observation.fileBytes);
  if (observation.outcome === "ok") metrics.contentBytes.observe(observation.contentBytes);
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
  gauge("docparser_workers_busy", "Workers that parse", ({ busy }) => busy);
  gauge("docparser_workers_idle", "Workers that wait", ({ idle }) => idle);
  gauge("docparser_documents_waiting", "Documents that wait for a worker", ({ queued }) => queued);
  const ended = new Gauge({
    name: "docparser_workers_ended_total",
    help: "Worker processes that ended, by cause",
    labelNames: ["cause"],
    registers: [],
    collect() {
      for (const [cause, count] of Object.entries(readPool().endedByCause)) this.set({ cause }, count);
    },
  });
  registry.registerMetric(ended);
}
