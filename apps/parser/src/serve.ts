import type { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { serveMetrics } from "@attune/service-kit/serve-metrics.ts";
import { assembleParser } from "./assemble-parser.ts";
import type { ParserConfig } from "./config.ts";
import { logEnd } from "./log-end.ts";
import { createServer } from "./grpc/create-server.ts";
import type { CallRefusal } from "./grpc/guard-calls.ts";
import type { ParseEnd } from "./grpc/parse-handler.ts";
import type { PoolStats } from "./isolation/pool-stats.ts";
import { createMetrics, type Metrics, type PoolReading } from "./metrics/create-metrics.ts";
import { createAdmission } from "./pipeline/admission.ts";

export interface RunningService {
  /** `host:port` of gRPC. */
  readonly address: string;
  /** Ends calls under way within the time configured, then everything. */
  stop(): Promise<void>;
}

/** Starts the gRPC service and what watches over it; a start that fails leaves nothing behind. @throws Error with what is wrong. */
export async function serve(config: ParserConfig, logger: Logger): Promise<RunningService> {
  const { server: settings, workers } = config;
  await using starting = new AsyncDisposableStack();
  const parser = await assembleParser(config, logger);
  starting.defer(() => parser.close(0));
  const admission = createAdmission({ maxInside: workers.count + workers.queueLength, workers: workers.count });
  const metrics = createMetrics(parser.pool.isolationLevel, () => toReading(parser.pool.stats()));
  const onEnd = (end: ParseEnd): void => {
    logEnd(logger, end);
    observeEnd(metrics, end);
  };
  const isReady = (): boolean => parser.pool.stats().startFailure === undefined;
  const onFault = (error: AppError, requestId: string): void =>
    logger.error({ request_id: requestId, reason: error.reason, err: error.cause }, "a list could not be answered");
  const onRefusal = (refusal: CallRefusal): void => {
    logger.info(refusal, "call refused");
    metrics.countRefusal(refusal.reason);
  };
  const server = createServer(settings, { ...parser, admission, onEnd, onFault, onRefusal, isReady });
  const port = await server.start();
  starting.defer(() => server.drain(0));
  if (config.metrics.port !== 0) {
    const metricsServer = await serveMetrics(metrics, config.metrics.host, config.metrics.port);
    starting.defer(() => metricsServer.close());
  }
  const address = `${settings.host}:${port}`;
  logStart(logger, { address, config, level: parser.pool.isolationLevel, refusals: parser.pool.isolationRefusals });
  const running = starting.move();
  return {
    address,
    stop: async () => {
      logger.info({ inside: admission.inside }, "stopping: answering the calls under way");
      admission.close();
      await server.drain(settings.drainTimeoutMs);
      await running.disposeAsync();
      logger.info("stopped");
    },
  };
}

interface Start {
  readonly address: string;
  readonly config: ParserConfig;
  readonly level: string;
  readonly refusals: readonly string[];
}

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

function logStart(logger: Logger, { address, config, level, refusals }: Start): void {
  const { server, workers, metrics } = config;
  logger.info(
    { address, tls: server.tls !== undefined, isolation: level, workers: workers.count, metrics_port: metrics.port },
    "docparser.DocumentParser is served",
  );
  if (refusals.length > 0) logger.warn({ refusals }, "workers run with less isolation than there could be");
  if (!loopback.has(server.host) && server.token === undefined && server.tls?.clientAuthorityPath === undefined) {
    logger.warn("every machine that reaches this address may call it: set PARSER_TOKEN or PARSER_TLS_CLIENT_CA_PATH");
  }
}

function observeEnd(metrics: Metrics, { record, outcome, error, durationMs }: ParseEnd): void {
  metrics.observe({
    fileType: record.fileType,
    engine: record.engine,
    outcome: error?.reason ?? record.reason ?? "ok",
    durationMs,
    stageMs: record.stageMs,
    fileBytes: record.fileBytes,
    contentBytes: outcome?.success === true ? outcome.content.length : 0,
  });
}

function toReading({ busy, idle, queued, recycled, restarts }: PoolStats): PoolReading {
  return { busy, idle, queued, endedByCause: { ...restarts, recycled } };
}
