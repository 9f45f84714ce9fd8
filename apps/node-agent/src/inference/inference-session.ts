import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { InferenceSessionView, InferenceStage, InferenceState } from "@attune/contracts/compute/inference-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { isProcessAlive } from "@attune/service-kit/postgres/process-mark.ts";
import type { DeviceSample } from "../devices/device-provider.ts";
import type { GpuLeases } from "../devices/gpu-leases.ts";
import { createEngineLog, type EngineLog } from "../engines/create-engine-log.ts";
import type {
  ChatEvent,
  ChatRequest,
  InferenceEngine,
  LoadedModel,
  LoadProgress,
} from "../engines/inference-engine.ts";
import { checkAllowedPaths } from "../files/check-allowed-paths.ts";
import { endGroup } from "../process/end-group.ts";
import { chatInTurn } from "./chat-in-turn.ts";
import { type ChatSlots, createChatSlots } from "./chat-slots.ts";
import { chooseEngine } from "./choose-engine.ts";
import { type HeldGpus, holdGpus } from "./hold-gpus.ts";
import { toAppFailure, toSessionFailure } from "./session-failure.ts";
import type { SessionSpec } from "./session-spec.ts";
import { renderSession } from "./render-session.ts";
import { waitForFreeMemory } from "./wait-for-free-memory.ts";

export interface SessionDeps {
  /** Folders that a load may name files of; none, and unset: any. */
  readonly allowedFolders?: readonly string[];
  readonly engines: readonly InferenceEngine[];
  readonly leases: GpuLeases;
  readonly devices: { latest(): DeviceSample };
  /** Absolute; each session has a folder of its own in it. */
  readonly folder: string;
  /** Chats that may wait for one model. */
  readonly maxWaiting: number;
  readonly logger: Logger;
}

/** One load of a model and what became of it. */
export interface InferenceSession {
  readonly loadId: string;
  readonly spec: SessionSpec;
  readonly state: InferenceState;
  /** Resolves when all is known that can be known at once: its engine is being started, or why it cannot be. */
  readonly judged: Promise<void>;
  /** Resolves when nothing of it is left, of a failed one too. @throws AppError MODEL_UNLOAD_INCOMPLETE */
  readonly gone: Promise<void>;
  view(): InferenceSessionView;
  /** Takes a place among its chats now. @throws AppError MODEL_NOT_LOADED, MODEL_QUEUE_FULL */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** Ends it, whatever it is doing. @throws AppError MODEL_UNLOAD_INCOMPLETE */
  unload(): Promise<void>;
}

/** What is known of a session by now. */
export interface SessionFacts {
  readonly loadId: string;
  readonly spec: SessionSpec;
  readonly createdAt: Date;
  state: InferenceState;
  since: Date;
  readyAt?: Date;
  stage?: InferenceStage;
  progress?: { readonly current: number; readonly total: number | null };
  engine?: InferenceEngine;
  pid?: number;
  held?: HeldGpus;
  model?: LoadedModel;
  slots?: ChatSlots;
  failure?: AppError;
  logTail?: readonly string[];
}

/**
 * Starts to load a model.
 * @param makeRoom called after the checks; resolves when what has to go first is gone
 */
export function startSession(
  deps: SessionDeps,
  { loadId, spec }: Pick<SessionFacts, "loadId" | "spec">,
  makeRoom: () => Promise<void>,
): InferenceSession {
  const facts: SessionFacts = {
    loadId,
    spec,
    createdAt: new Date(),
    state: "starting",
    since: new Date(),
    stage: "check",
  };
  const ending = new AbortController();
  const judged = Promise.withResolvers<void>();
  const log = createEngineLog(join(deps.folder, loadId, "engine.log"));
  const run: Run = { deps, facts, log, ending, makeRoom, onJudged: judged.resolve };
  const gone = live(run).finally(judged.resolve);
  gone.catch((error: unknown) => deps.logger.error({ loadId, error }, "something of a model's engine is left"));
  return {
    loadId,
    spec,
    get state() {
      return facts.state;
    },
    judged: judged.promise,
    gone,
    view: () => renderSession(facts),
    chat: (request, signal) => chat(facts, request, signal),
    unload: async () => {
      if (facts.state !== "error") enter(facts, "unloading");
      ending.abort(new AppError("MODEL_LOAD_CANCELLED"));
      await gone.catch(() => endLeftovers(facts));
    },
  };
}

interface Run {
  readonly deps: SessionDeps;
  readonly facts: SessionFacts;
  readonly log: EngineLog;
  readonly ending: AbortController;
  readonly makeRoom: () => Promise<void>;
  readonly onJudged: () => void;
}

/** The whole life. Resolves when no process and no right to a GPU is left. */
async function live(run: Run): Promise<void> {
  const { facts, deps, ending, log } = run;
  try {
    const model = await load(run);
    // Its end may have been asked for since the last look.
    ending.signal.throwIfAborted();
    enter(facts, "ready");
    deps.logger.info({ loadId: facts.loadId, engine: facts.engine?.name, gpus: facts.held?.gpus }, "a model is loaded");
    const wanted = Promise.withResolvers<undefined>();
    onAbort(ending.signal, () => wanted.resolve(undefined));
    const cause = await Promise.race([model.ended, wanted.promise]);
    if (cause !== undefined) fail(run, cause);
    // Its right to the GPUs is lost, or it is unloaded.
    else if (facts.state === "ready") fail(run, ending.signal.reason);
  } catch (error) {
    fail(run, error);
  }
  facts.slots?.close(facts.failure ?? new AppError("MODEL_NOT_LOADED", { detail: "It was unloaded." }));
  try {
    await leave(run);
  } catch (error) {
    tellFailure(run, error);
    throw error;
  } finally {
    await log.close();
  }
}

function onAbort(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
}

async function load(run: Run): Promise<LoadedModel> {
  const { deps, facts, log, ending } = run;
  const { spec, loadId } = facts;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(tooSlow(spec.timeoutMs)), spec.timeoutMs);
  const signal = AbortSignal.any([ending.signal, timeout.signal]);
  try {
    const { gpuRequest } = spec;
    const named = gpuRequest.mode === "explicit" ? gpuRequest.indices : [];
    await orAbort(checkPlaces(spec, deps.allowedFolders ?? []), signal);
    facts.engine = await orAbort(chooseEngine(deps.engines, { ...spec.model, gpus: named }, spec.engine), signal);
    enterStage(facts, { stage: "wait" });
    await orAbort(run.makeRoom(), signal);
    const onLost = (error: AppError): void => ending.abort(error);
    facts.held = await holdGpus(deps.leases, { holder: `inference:${loadId}`, request: gpuRequest, onLost });
    run.onJudged();
    // To start a process takes a while in which nothing else is done; who asked is answered before.
    await nextTurn();
    const folder = join(deps.folder, loadId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    signal.throwIfAborted();
    const ports = {
      sessionId: loadId,
      folder,
      log,
      onProgress: (progress: LoadProgress) => enterStage(facts, progress),
      onStarted: (pid: number) => void (facts.pid = pid),
    };
    const model = await facts.engine.load({ ...spec.model, gpus: facts.held.gpus }, ports, signal);
    facts.model = model;
    facts.slots = createChatSlots(model.concurrency, deps.maxWaiting);
    signal.throwIfAborted();
    return model;
  } finally {
    clearTimeout(timer);
  }
}

/** A server has its own models, and is given no file. @throws AppError PATH_NOT_ALLOWED */
async function checkPlaces({ engine, model }: SessionSpec, folders: readonly string[]): Promise<void> {
  const paths = [model.modelPath, model.adapterPath].filter((path) => path !== undefined);
  if (engine !== "openai_compatible") await checkAllowedPaths(paths, folders);
}

const tooSlow = (timeoutMs: number): AppError =>
  new AppError("MODEL_LOAD_TIMEOUT", { detail: `It had ${timeoutMs / 1000} seconds.` });

/** What does not listen to the signal itself goes on by itself and is not waited for. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const act = (): void => aborted.reject(signal.reason);
  work.catch(() => undefined);
  onAbort(signal, act);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", act);
  }
}

function enter(facts: SessionFacts, state: InferenceState): void {
  if (facts.state === state) return;
  facts.state = state;
  facts.since = new Date();
  if (state === "ready") facts.readyAt = facts.since;
}

function enterStage(
  facts: SessionFacts,
  { stage, current, total }: { stage: InferenceStage; current?: number; total?: number },
): void {
  facts.stage = stage;
  if (current === undefined) delete facts.progress;
  else facts.progress = { current, total: total ?? null };
}

/** Who asked for the end is not told of it as of a failure. */
function fail(run: Run, thrown: unknown): void {
  if (run.facts.state !== "unloading") tellFailure(run, thrown);
}

function tellFailure({ facts, deps, log }: Run, thrown: unknown): void {
  facts.failure = toAppFailure(thrown);
  facts.logTail = log.tail(200);
  enter(facts, "error");
  deps.logger.warn({ loadId: facts.loadId, error: facts.failure }, "a model is not loaded");
}

async function leave({ deps, facts }: Run): Promise<void> {
  const { gpus = [] } = facts.held ?? {};
  // Looked up while they live; afterwards nothing knows their numbers.
  const pids = gpus.length === 0 ? [] : pidsOnGpus(deps.devices.latest(), gpus);
  try {
    await facts.model?.unload();
    const shown = await waitForFreeMemory(deps.devices, { gpus, pids: pids.filter((pid) => !isProcessAlive(pid)) });
    if (shown.length > 0) {
      const detail = `GPU ${shown.join(", ")} still shows memory of its processes, which are gone.`;
      throw new AppError("MODEL_UNLOAD_INCOMPLETE", { detail });
    }
    delete facts.pid;
  } finally {
    // While a process lives the GPUs stay busy, whatever is given back.
    await facts.held?.release();
  }
}

/** What could not be ended before is tried again. @throws AppError MODEL_UNLOAD_INCOMPLETE */
async function endLeftovers(facts: SessionFacts): Promise<void> {
  const left = await endGroup({ runId: facts.loadId, leader: undefined }, { graceMs: 0 });
  if (left.length === 0) return void delete facts.pid;
  throw new AppError("MODEL_UNLOAD_INCOMPLETE", { detail: `Its processes ${left.join(", ")} could not be killed.` });
}

const pidsOnGpus = ({ gpus }: DeviceSample, indices: readonly number[]): readonly number[] =>
  gpus
    .filter(({ index }) => indices.includes(index))
    .flatMap(({ processes }) => (processes ?? []).map(({ pid }) => pid));

function chat({ slots, model, state, failure }: SessionFacts, request: ChatRequest, signal: AbortSignal) {
  if (state !== "ready" || model === undefined || slots === undefined)
    throw notReady(state, failure === undefined ? "" : toSessionFailure(failure).message);
  return chatInTurn(slots.take(signal), () => model.chat(request, signal), signal);
}

/** @param why of state error */
export function notReady(state: InferenceState, why: string): AppError {
  if (state === "error") return new AppError("MODEL_NOT_LOADED", { detail: why });
  const detail = state === "starting" ? "It is still being loaded." : "It is being unloaded.";
  return new AppError("MODEL_NOT_LOADED", { detail, retryAfterMs: 2000 });
}
