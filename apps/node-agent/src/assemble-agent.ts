import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import type { FastifyInstance } from "fastify";
import { assembleInference, type Inference } from "./assemble-inference.ts";
import { type Cache, openCache } from "./cache/cache.ts";
import { createTakeUses } from "./cache/users-of.ts";
import type { AgentConfig } from "./config.ts";
import { countJobs, countModels, listModels, measureEventBacklog } from "./count-work.ts";
import type { DeviceProvider } from "./devices/device-provider.ts";
import { findCuda } from "./devices/find-cuda.ts";
import type { GpuLeases } from "./devices/gpu-leases.ts";
import { openDevices } from "./devices/open-devices.ts";
import type { JobEngine } from "./engines/job-engine.ts";
import { createLlamaFactoryEngine } from "./engines/llamafactory/llamafactory-engine.ts";
import { createTrainerEngine } from "./engines/trainer/trainer-engine.ts";
import { createFileReader } from "./files/file-reader.ts";
import { createCheck } from "./health/check-once.ts";
import { createHealth } from "./health/create-health.ts";
import { cacheRoutes } from "./http/cache-routes.ts";
import { deviceRoutes } from "./http/device-routes.ts";
import { createServer } from "./http/create-server.ts";
import { fileRoutes } from "./http/file-routes.ts";
import { healthRoutes } from "./http/health-routes.ts";
import { bindInferenceRoutes } from "./http/inference-routes.ts";
import { bindOpenaiRoutes } from "./http/openai-routes.ts";
import { jobRoutes } from "./http/job-routes.ts";
import type { NodeBinding } from "./http/node-route.ts";
import { createPathUses } from "./list-path-uses.ts";
import { createMetrics, type NodeMetrics } from "./metrics/create-metrics.ts";
import { type DataFolder, openDataFolder } from "./open-data-folder.ts";
import { openLeases, type OpenedLeases } from "./open-leases.ts";
import { openPythonSetup } from "./open-python-setup.ts";
import { createRuns, type Runs, type RunsDeps } from "./runs/create-runs.ts";
import { openRunStore, type RunStore } from "./runs/run-store.ts";
import { createSchedulers } from "./schedulers/create-schedulers.ts";
import type { Scheduler } from "./schedulers/scheduler.ts";
import { scoreApart } from "./scoring/score-apart.ts";

export interface Agent {
  readonly server: FastifyInstance;
  readonly bindings: readonly NodeBinding[];
  readonly metrics: NodeMetrics;
  /** Ends requests and models; jobs go on. */
  close(): Promise<void>;
}

/**
 * Puts the parts together, and takes up what an earlier agent of the same folder has left; nothing listens yet.
 * @throws Error saying why it cannot run; nothing is left open then.
 */
export async function assembleAgent(config: AgentConfig, environment: Environment, logger: Logger): Promise<Agent> {
  await using opening = new AsyncDisposableStack();
  const parts = await openParts({ config, environment, logger }, opening);
  const metrics = createAgentMetrics(parts);
  const bindings = bindAll(parts, { config, logger, metrics });
  const server = await createServer(bindings, {
    settings: config.server,
    logger,
    observeRequest: (observation) => metrics.observeRequest(observation),
    countProblem: (reason) => metrics.countProblem(reason),
  });
  opening.defer(async () => server.close());
  askEngines(parts);
  const open = opening.move();
  let closing: Promise<void> | undefined;
  return { server, bindings, metrics, close: () => (closing ??= open.disposeAsync()) };
}

interface Surroundings {
  readonly config: AgentConfig;
  readonly environment: Environment;
  readonly logger: Logger;
}

interface Parts {
  readonly data: DataFolder;
  readonly devices: DeviceProvider;
  readonly leases: GpuLeases;
  readonly holderOf: OpenedLeases["holderOf"];
  readonly store: RunStore;
  readonly inference: Inference;
  readonly cache: Cache;
  readonly jobEngines: readonly JobEngine[];
  readonly schedulers: readonly Scheduler[];
  readonly runs: Runs;
}

/** Opens one part after another; `opening` closes them in the opposite order. */
async function openParts({ config, environment, logger }: Surroundings, opening: AsyncDisposableStack): Promise<Parts> {
  const data = await openDataFolder(config.dataFolder);
  opening.defer(() => data.release());
  let held: OpenedLeases | undefined;
  const isHeld = (index: number): boolean => held?.leases.list().some(({ gpus }) => gpus.includes(index)) ?? false;
  const devices = await openDevices(config.gpus, { logger, isHeld });
  opening.defer(() => devices.close());
  const store = await openRunStore(data.runs, logger);
  let inference: Inference | undefined;
  const sessions = () => inference?.sessions;
  held = await openLeases({ path: data.leases, devices, store, sessions, logger });
  const { leases } = held;
  opening.defer(() => leases.close());
  const setup = openPythonSetup({ config, environment, folder: data.folder, logger }, opening);
  inference = await assembleInference({ config, environment, folder: data.inference, leases, devices, setup, logger });
  opening.defer(async () => inference?.close());
  const listUses = createPathUses(store, inference.sessions);
  const cache = await openCache({ root: config.cacheFolder ?? data.cache, settings: config.cache, logger, listUses });
  opening.defer(() => cache.close());
  const jobEngines = [
    createTrainerEngine({
      python: config.python.program,
      llamaCpp: config.python.llamaCpp,
      setup,
      environment,
      findCuda: () => findCuda(devices),
    }),
    createLlamaFactoryEngine({
      python: config.llamaFactory.program,
      sources: config.llamaFactory.sources,
      environment,
      findCuda: () => findCuda(devices),
    }),
  ];
  const schedulers = createSchedulers(config.schedulers);
  const runs = await createRuns({
    engines: jobEngines,
    schedulers,
    store,
    usersOf: (folder) => createTakeUses(listUses, logger)()(folder),
    leases,
    devices,
    environment,
    finish: finishRun,
    logger,
    settings: config.runs,
  });
  opening.defer(() => runs.close());
  return { data, devices, ...held, store, inference, cache, jobEngines, schedulers, runs };
}

/** Some need seconds to answer the first time, which whoever asks for the node's health should not wait for. */
function askEngines({ jobEngines, inference }: Parts): void {
  // What goes wrong is told by the health, which asks again.
  for (const engine of [...jobEngines, ...inference.engines]) engine.report().catch(() => undefined);
}

/** The answers of an evaluation are scored before it counts as succeeded. */
const finishRun: RunsDeps["finish"] = async ({ kind, paths, signal }) => {
  if (kind === "eval") await scoreApart(paths.folder, signal);
};

function createAgentMetrics({ devices, leases, store, inference, cache }: Parts): NodeMetrics {
  const backlog = createCheck(() => measureEventBacklog(store), 1000);
  return createMetrics({
    devices,
    leases,
    countJobs: () => countJobs(store),
    countModels: () => countModels(inference.sessions),
    eventBacklogBytes: async () => {
      const result = await backlog();
      return "value" in result ? result.value : undefined;
    },
    measureCache: async () => (await cache.usage()).sizeBytes,
  });
}

interface Bound {
  readonly config: AgentConfig;
  readonly logger: Logger;
  readonly metrics: NodeMetrics;
}

function bindAll(parts: Parts, { logger, metrics }: Bound): NodeBinding[] {
  const { data, devices, leases, holderOf, store, inference, cache, jobEngines, schedulers, runs } = parts;
  const health = createHealth({
    version: findVersion(),
    dataFolder: data.folder,
    jobEngines,
    inferenceEngines: inference.engines,
    schedulers,
    devices,
    leases,
    countJobs: () => countJobs(store),
    listModels: () => listModels(inference.sessions),
    logger,
  });
  const isHidden = (name: string): boolean => name.startsWith(".");
  const files = createFileReader([
    { name: "runs", path: data.runs, isHidden },
    { name: "cache", path: cache.root, isHidden },
  ]);
  return [
    ...healthRoutes({ health, metrics }),
    ...jobRoutes(runs),
    ...deviceRoutes({ devices, leases, holderOf }),
    ...bindInferenceRoutes(inference.sessions),
    ...bindOpenaiRoutes(inference.sessions),
    ...cacheRoutes(cache),
    ...fileRoutes(files),
  ];
}

function findVersion(): string {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as {
    version: string;
  };
  return version;
}
