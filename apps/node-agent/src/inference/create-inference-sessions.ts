import { setTimeout as sleep } from "node:timers/promises";
import type {
  InferenceSessionView,
  LoadAnswer,
  LoadRequest,
  UnloadAnswer,
} from "@attune/contracts/compute/inference-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { normaliseGpuRequest } from "../devices/normalise-gpu-request.ts";
import type { ChatEvent, ChatRequest } from "../engines/inference-engine.ts";
import { sweepOrphans } from "../process/sweep-orphans.ts";
import { ambiguous, getReady, listSessions, type SessionChoice } from "./find-session.ts";
import { type InferenceSession, type SessionDeps, startSession } from "./inference-session.ts";
import { removeOldFolders } from "./remove-old-folders.ts";
import { messages } from "./render-session.ts";
import { toSessionFailure } from "./session-failure.ts";
import { isSameLoad, type SessionSpec, toSessionSpec } from "./session-spec.ts";

export interface InferenceDeps extends SessionDeps {
  readonly maxModels: number;
  readonly loadTimeoutMs: number;
  /** How long the answer to a load may wait for the checks, in milliseconds; what they find later is told in the status. */
  readonly answerWithinMs?: number;
}

export interface OpenedChat {
  readonly session: InferenceSession;
  readonly events: AsyncIterable<ChatEvent>;
}

/** Models in memory. They end with the agent. */
export interface InferenceSessions {
  /** Ends what an earlier agent of this folder has left; before anything else. */
  start(): Promise<void>;
  /** Starts to load, or joins the same load. Never throws: why it cannot be is in the answer. */
  load(request: LoadRequest): Promise<LoadAnswer>;
  /** Resolves when nothing of it is left. Never throws. */
  unload(choice: SessionChoice): Promise<UnloadAnswer>;
  /** The oldest first. */
  status(choice: SessionChoice): readonly InferenceSessionView[];
  /**
   * Takes a place among the chats of a model now; the events come when it is its turn.
   * @throws AppError MODEL_NOT_LOADED, MODEL_AMBIGUOUS, MODEL_QUEUE_FULL
   */
  chat(choice: SessionChoice, request: ChatRequest, signal: AbortSignal): OpenedChat;
  /** Whether the holder of a lease (`inference:<load id>`) is one of these and may have processes. */
  isLive(holder: string): boolean;
  /** Unloads all; no load is taken any more. */
  close(): Promise<void>;
}

/** The checks take a few ms; only a disk that hangs, or an engine that was never asked before, takes longer than this. */
const defaultAnswerWithinMs = 500;
/** Sessions that failed and are kept to be asked for. */
const maxFailed = 50;

export function createInferenceSessions(deps: InferenceDeps): InferenceSessions {
  const sessions = new Map<string, InferenceSession>();
  const all = (): InferenceSession[] => [...sessions.values()];
  const end = async (ended: readonly InferenceSession[]): Promise<void> => {
    await Promise.all(
      ended.map(async (session) => {
        await session.unload();
        sessions.delete(session.loadId);
      }),
    );
  };
  let isClosed = false;
  return {
    start: async () => {
      const loadIds = await sweepOrphans({ root: deps.folder, isKnown: () => false });
      if (loadIds.length > 0)
        deps.logger.warn({ loadIds }, "models of an earlier agent were still loaded, and were ended");
      await removeOldFolders(deps.folder, new Set());
    },
    load: async (request) => {
      try {
        if (isClosed) throw new AppError("SHUTTING_DOWN");
        return await load({ deps, sessions, end }, request);
      } catch (error) {
        return refusal(error);
      }
    },
    unload: (choice) => unload(choice, listSessions(all(), choice), end),
    status: (choice) => listSessions(all(), choice).map((session) => session.view()),
    chat: (choice, request, signal) => {
      const session = getReady(all(), choice);
      return { session, events: session.chat(request, signal) };
    },
    isLive: (holder) => typeof sessions.get(holder.replace(/^inference:/, ""))?.view().pid === "number",
    close: async () => {
      isClosed = true;
      await Promise.allSettled(all().map((session) => end([session])));
    },
  };
}

interface Sessions {
  readonly deps: InferenceDeps;
  readonly sessions: Map<string, InferenceSession>;
  readonly end: (ended: readonly InferenceSession[]) => Promise<void>;
}

async function load(all: Sessions, request: LoadRequest): Promise<LoadAnswer> {
  const { deps, sessions } = all;
  const gpuRequest = normaliseGpuRequest(request, deps.devices.latest().gpus);
  const session = join(all, toSessionSpec(request, gpuRequest, deps.loadTimeoutMs), request.replace);
  const isJudged = await isSettledWithin(session.judged, deps.answerWithinMs ?? defaultAnswerWithinMs);
  // What is refused at once never was a load.
  const isRefused = isJudged && session.state === "error" && session.view().pid === null;
  if (isRefused) sessions.delete(session.loadId);
  return toAnswer(session, isRefused);
}

/** The same load that is under way or ready, or a new one. @throws AppError TASK_HAS_OTHER_MODEL, TOO_MANY_MODELS */
function join({ deps, sessions, end }: Sessions, spec: SessionSpec, mayReplace: boolean): InferenceSession {
  const all = [...sessions.values()];
  const ofTask = all.filter((other) => other.spec.taskId === spec.taskId);
  // An older one may be about to end, for the sake of the newest.
  const newest = ofTask.findLast(isLoading);
  if (newest !== undefined && isSameLoad(newest.spec, spec)) return newest;
  if (newest !== undefined && !mayReplace) throw hasOther(newest);
  const others = all.filter((other) => other.state !== "error" && !ofTask.includes(other));
  if (others.length >= deps.maxModels) throw new AppError("TOO_MANY_MODELS", { detail: `There are ${others.length}.` });
  const loadId = createId();
  const session = startSession(deps, { loadId, spec }, () => end(ofTask));
  sessions.set(loadId, session);
  forgetOldest(sessions);
  void removeOldFolders(deps.folder, new Set(sessions.keys()));
  return session;
}

async function unload(
  choice: SessionChoice,
  meant: readonly InferenceSession[],
  end: Sessions["end"],
): Promise<UnloadAnswer> {
  const last = meant.at(-1);
  if (last === undefined) return { ...unloaded, state: "not_loaded", message: "Nothing of that name is loaded." };
  try {
    const live = meant.filter(({ state }) => state !== "error");
    if (!namesModel(choice) && live.length > 1) throw ambiguous(live);
    await end(meant);
    return { ...unloaded, load_id: last.loadId };
  } catch (error) {
    return { ...unloaded, success: false, state: "unloading", load_id: last.loadId, ...toSessionFailure(error) };
  }
}

const namesModel = ({ load_id: loadId, task_id: taskId }: SessionChoice): boolean =>
  typeof loadId === "string" || typeof taskId === "string";

const isLoading = ({ state }: InferenceSession): boolean => state === "starting" || state === "ready";

const hasOther = ({ spec, state }: InferenceSession): AppError =>
  new AppError("TASK_HAS_OTHER_MODEL", { detail: `${spec.model.modelPath} is ${state}.` });

/** One whose process lives all the same is kept: by it is known that the process's GPUs are busy. */
function forgetOldest(sessions: Map<string, InferenceSession>): void {
  const failed = [...sessions.values()].filter((session) => session.state === "error" && session.view().pid === null);
  for (const { loadId } of failed.slice(0, Math.max(0, failed.length - maxFailed))) sessions.delete(loadId);
}

async function isSettledWithin(work: Promise<void>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const slow = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false);
  const isSettled = await Promise.race([work.then(() => true), slow]);
  timer.abort();
  return isSettled;
}

function toAnswer(session: InferenceSession, isRefused: boolean): LoadAnswer {
  const { state, reason, hint, message } = session.view();
  const isFine = state === "starting" || state === "ready";
  return {
    success: isFine,
    state,
    load_id: isRefused ? null : session.loadId,
    message: isFine ? messages[state] : message,
    reason,
    hint,
  };
}

const refusal = (thrown: unknown): LoadAnswer => ({
  success: false,
  state: "error",
  load_id: null,
  ...toSessionFailure(thrown),
});

const unloaded: UnloadAnswer = {
  success: true,
  state: "unloaded",
  load_id: null,
  message: "The model is unloaded.",
  reason: null,
  hint: null,
};
