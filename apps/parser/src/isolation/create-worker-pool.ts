import { fileURLToPath } from "node:url";
import type { ReadIsolated } from "../engines/engine.ts";
import { type ChosenSandbox, chooseSandbox } from "../process/choose-sandbox.ts";
import { createGroupGuard, type GroupGuard } from "../process/group-guard.ts";
import { createSandbox, findSandboxTools, type IsolationLevel, type SandboxSettings } from "../process/sandbox.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import type { Recogniser } from "../ocr/recogniser.ts";
import { createCompileCache } from "./compile-cache.ts";
import type { PoolLogger } from "./pool-logger.ts";
import type { WorkerPoolSettings } from "./pool-settings.ts";
import { createPoolCounters, type PoolStats } from "./pool-stats.ts";
import { createReadIsolated } from "./read-isolated.ts";
import { createWaitEstimate } from "./wait-estimate.ts";
import { WorkerCrew } from "./worker-crew.ts";
import { startWorker } from "./worker-process.ts";

export interface WorkerPool {
  readonly read: ReadIsolated;
  readonly isolationLevel: IsolationLevel;
  /** Why each better level does not work on this machine, a sentence each. */
  readonly isolationRefusals: readonly string[];
  stats(): PoolStats;
  /** Takes no more documents, lets those in work end within `graceMs` (0 when absent), and kills the rest. */
  close(graceMs?: number): Promise<void>;
}

export interface WorkerPoolDeps {
  readonly logger?: PoolLogger;
  readonly guard?: GroupGuard;
  /** Reads pictures of text; without it, workers do it themselves, in the languages that come with this program. */
  readonly recogniser?: Recogniser;
  /** Exactly this level, unproven, instead of the best that the settings allow; for tests and measurements. */
  readonly level?: IsolationLevel;
}

export const defaultPoolSettings: WorkerPoolSettings = {
  workers: 2,
  maxQueued: 64,
  isolation: "auto",
  memoryMib: 1024,
  limits: defaultLimits,
  maxTimeoutMs: 600_000,
  recycleAfterDocuments: 1_000,
  recycleAboveMib: 512,
  startTimeoutMs: 20_000,
  warmFormats: ["pdf"],
  workerEntry: fileURLToPath(new URL("./worker.ts", import.meta.url)),
  nodePath: process.execPath,
};

/** What workers load: our sources and what they import. The rest of the machine is not theirs to read. */
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const readablePaths = ["apps/parser", "packages", "node_modules", "package.json"].map((path) => `${root}${path}`);

/** What the sandbox of a pool's workers is made of. */
export function toSandboxSettings(settings: Pick<WorkerPoolSettings, "memoryMib" | "nodePath">): SandboxSettings {
  const { memoryMib, nodePath } = settings;
  return { memoryMib, nodePath, readablePaths };
}

/**
 * Starts a warm pool of worker processes. Resolves when the level of isolation is known; documents given before the first
 * worker is ready wait for it.
 * @throws Error when the level demanded cannot be reached; it says why, and what to do.
 */
export async function createWorkerPool(
  given: Partial<WorkerPoolSettings> = {},
  { logger, guard = createGroupGuard(), recogniser, level }: WorkerPoolDeps = {},
): Promise<WorkerPool> {
  const settings = { ...defaultPoolSettings, ...given };
  const { workerEntry, warmFormats, limits } = settings;
  const args = [workerEntry, ...warmFormats];
  const slow = (error: unknown): undefined => {
    logger?.warn({ diagnostic: String(error) }, "workers start slowly, because their code could not be compiled ahead");
  };
  const isCompiledAhead = settings.isCompiledAhead ?? settings.workers > 1;
  const cache = isCompiledAhead ? await createCompileCache().catch(slow) : undefined;
  if (cache) guard.removeAtEnd(cache.folder);
  const sandboxSettings = {
    ...toSandboxSettings(settings),
    ...(cache && { compileCacheFolder: cache.folder }),
  };
  const choosing =
    level === undefined ? chooseSandbox(settings.isolation, sandboxSettings) : takeSandbox(level, sandboxSettings);
  const preparing = cache?.prepare(sandboxSettings, args).catch(slow);
  const [{ sandbox, refusals }] = await Promise.all([choosing, preparing]).catch(async (error: unknown) => {
    await cache?.[Symbol.asyncDispose]();
    throw error;
  });
  const counters = createPoolCounters();
  const estimate = createWaitEstimate(settings.workers);
  const crew: WorkerCrew = new WorkerCrew({
    settings,
    counters,
    startWorker: () => startWorker({ sandbox, guard, args, maxContentBytes: limits.maxOutputBytes }),
    warn: (message, diagnostic) => logger?.warn({ diagnostic }, message),
    estimateWaitMs: () => estimate.waitMs(crew.queued),
  });
  return {
    read: createReadIsolated({ settings, crew, counters, estimate, recogniser, logger }),
    isolationLevel: sandbox.level,
    isolationRefusals: refusals,
    stats: () => toStats(crew, { isolationLevel: sandbox.level, workers: settings.workers }, counters),
    close: async (graceMs = 0) => {
      await crew.close(graceMs);
      guard.close();
      await cache?.[Symbol.asyncDispose]();
    },
  };
}

async function takeSandbox(level: IsolationLevel, settings: SandboxSettings): Promise<ChosenSandbox> {
  return { sandbox: createSandbox(level, settings, await findSandboxTools(settings.nodePath)), refusals: [] };
}

function toStats(
  crew: WorkerCrew,
  fixed: Pick<PoolStats, "isolationLevel" | "workers">,
  { startFailure, restarts, ...figures }: ReturnType<typeof createPoolCounters>,
): PoolStats {
  const { ready, busy, queued } = crew;
  return {
    ...fixed,
    ready,
    busy,
    idle: ready - busy,
    queued,
    ...figures,
    restarts: { ...restarts },
    ...(startFailure !== undefined && { startFailure }),
  };
}
