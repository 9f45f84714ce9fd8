import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Agent, request as send } from "undici";
import type { EngineProcess, EngineProcesses } from "../engine-process.ts";
import type { ChatEvent, ChatRequest, LoadedModel, LoadPorts, LoadProgress, ModelToLoad } from "../inference-engine.ts";
import { toExitError } from "../to-exit-error.ts";
import { chatOverHttp, type ChatServer } from "./chat-over-http.ts";
import { findFreePort } from "./find-free-port.ts";
import { type ListedModel, listServedModels } from "./list-served-models.ts";
import { toTransportError } from "./to-upstream-error.ts";

/** A program that holds one model and serves it with OpenAI's API on a port of loopback. */
export interface ModelServer {
  readonly program: string;
  readonly args: (port: number) => readonly string[];
  /** The environment that tells it the key that callers must send. */
  readonly env: (key: string) => Readonly<Record<string, string>>;
  /** Name under which it serves the model. */
  readonly servedName: string;
  /** Where its log says that it stands; undefined where it says nothing of it. */
  readonly toProgress: (lines: readonly string[]) => LoadProgress | undefined;
  /** What is known of the model when it is served. */
  readonly describe: (
    served: ServedModel,
  ) => Promise<Pick<LoadedModel, "contextLength" | "memoryBytes" | "concurrency">>;
  readonly toExtra: ChatServer["toExtra"];
}

export interface ServedModel {
  readonly listed: ListedModel;
  /** All that it serves: the base beside its adapter, too. */
  readonly models: readonly ListedModel[];
  readonly logLines: readonly string[];
  /** Asks one of its own paths, such as `/props`, for JSON; undefined when it does not answer. */
  readonly ask: (path: string) => Promise<unknown>;
}

export interface ServerSettings {
  /** How long it may send nothing of an answer, in milliseconds. */
  readonly stallMs: number;
  /** How long it may take to end when it is asked to. */
  readonly unloadGraceMs: number;
}

export interface ServedLoad {
  readonly server: ModelServer;
  readonly model: ModelToLoad;
  readonly ports: LoadPorts;
  readonly processes: EngineProcesses;
  readonly settings: ServerSettings;
}

/** Another program may take the port between the look and the start. */
const maxAttempts = 3;
const pollMs = 100;

/** Starts the server and waits until it serves the model. @throws as InferenceEngine.load does */
export async function loadServedModel(load: ServedLoad, signal: AbortSignal): Promise<LoadedModel> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const started = await start(load);
    try {
      return await untilServed(started, load, signal);
    } catch (error) {
      await started.process.end(0);
      await started.dispatcher.destroy();
      const isPortTaken = load.ports.log.tail(20).some((line) => /address already in use|couldn't bind/i.test(line));
      if (!isPortTaken || attempt === maxAttempts || signal.aborted) throw error;
    }
  }
}

interface Started {
  readonly process: EngineProcess;
  readonly origin: string;
  readonly key: string;
  readonly dispatcher: Agent;
  readonly died: Promise<AppError>;
}

async function start({ server, model, ports, processes }: ServedLoad): Promise<Started> {
  const [port, key] = [await findFreePort(), randomBytes(24).toString("hex")];
  ports.onProgress({ stage: "spawn" });
  const { sessionId, folder, log } = ports;
  const process = await processes.start({
    program: server.program,
    args: server.args(port),
    env: server.env(key),
    gpus: model.gpus,
    sessionId,
    folder,
    log,
    hasEvents: false,
  });
  ports.onStarted(process.pid);
  const died = process.exited.then((exit) => toExitError(exit, log.tail(200)));
  // A connection for each request: the server closes idle ones, and a chat that is sent on one at that moment is lost.
  const dispatcher = new Agent({ connections: null, pipelining: 0 });
  return { process, origin: `http://127.0.0.1:${port}`, key, dispatcher, died };
}

async function untilServed(started: Started, load: ServedLoad, signal: AbortSignal): Promise<LoadedModel> {
  const { server, ports, settings } = load;
  const failed = Promise.withResolvers<never>();
  const onAbort = (): void => failed.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  void started.died.then((error) => failed.reject(error));
  failed.promise.catch(() => undefined);
  try {
    let stage = "";
    while (!(await Promise.race([isHealthy(started), failed.promise]))) {
      const progress = server.toProgress(ports.log.tail(50));
      if (progress !== undefined && JSON.stringify(progress) !== stage) ports.onProgress(progress);
      stage = JSON.stringify(progress ?? "");
      await Promise.race([sleep(pollMs), failed.promise]);
    }
    const known = await Promise.race([describe(started, load), failed.promise]);
    return toLoadedModel(started, known, { server, settings });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** 503 while it reads the model, and no connection before that. */
async function isHealthy({ origin, dispatcher }: Started): Promise<boolean> {
  try {
    const { statusCode, body } = await send(`${origin}/health`, { dispatcher, signal: AbortSignal.timeout(5000) });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

type Known = Pick<LoadedModel, "contextLength" | "memoryBytes" | "concurrency">;

async function describe({ origin, key, dispatcher }: Started, { server, ports }: ServedLoad): Promise<Known> {
  const models = await listServedModels(`${origin}/v1`, key, dispatcher).catch((error: unknown) => {
    throw toTransportError(error);
  });
  const listed = models.find(({ id }) => id === server.servedName);
  // Another server that came to have the port would not know the name, nor the key.
  if (listed === undefined) {
    throw new AppError("INFERENCE_ENGINE_FAILED", { detail: `It does not serve ${server.servedName}.` });
  }
  const ask = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}` };
    const signal = AbortSignal.timeout(5000);
    try {
      const { statusCode, body } = await send(`${origin}${path}`, { dispatcher, headers, signal });
      if (statusCode === 200) return await body.json();
      await body.dump();
      return undefined;
    } catch {
      return undefined;
    }
  };
  return server.describe({ listed, models, logLines: ports.log.tail(2000), ask });
}

interface Serving {
  readonly server: ModelServer;
  readonly settings: ServerSettings;
}

function toLoadedModel(started: Started, known: Known, { server, settings }: Serving): LoadedModel {
  const { process, origin, key, dispatcher, died } = started;
  let isWanted = true;
  const { servedName: model, toExtra } = server;
  const { stallMs, unloadGraceMs } = settings;
  const chatServer = {
    url: `${origin}/v1`,
    key,
    model,
    dispatcher,
    stallMs,
    contextLength: known.contextLength,
    toExtra,
  };
  return {
    ...known,
    ended: died.then((error) => (isWanted ? error : undefined)),
    chat: (request, signal) => chatUntilDeath(chatServer, { request, died, isWanted: () => isWanted }, signal),
    unload: async () => {
      isWanted = false;
      await dispatcher.destroy();
      await process.end(unloadGraceMs);
    },
  };
}

interface MortalChat {
  readonly request: ChatRequest;
  readonly died: Promise<AppError>;
  readonly isWanted: () => boolean;
}

/** A process that ends breaks its connections a moment before it is known why. */
const deathNewsMs = 2000;

async function* chatUntilDeath(
  server: ChatServer,
  { request, died, isWanted }: MortalChat,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  try {
    yield* chatOverHttp(server, request, signal);
  } catch (error) {
    if (!isWanted() || !isOfConnection(error)) throw error;
    throw (await Promise.race([died, sleep(deathNewsMs, undefined, { ref: false })])) ?? error;
  }
}

const isOfConnection = (error: unknown): boolean =>
  error instanceof AppError && ["INFERENCE_ENGINE_FAILED", "INFERENCE_API_UNREACHABLE"].includes(error.reason);
