import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { EngineProcess, EngineProcesses } from "../engine-process.ts";
import type { InferenceEngine, LoadedModel, LoadPorts, ModelToLoad } from "../inference-engine.ts";
import type { EngineReport } from "../job-engine.ts";
import { checkAdapterFolder } from "../model-files/check-adapter-folder.ts";
import { checkModelFolder } from "../model-files/check-model-folder.ts";
import { isJsonObject } from "../model-files/read-model-json.ts";
import { toExitError } from "../to-exit-error.ts";
import { chatWithWorker } from "./chat-with-worker.ts";
import { type ServeEvent, serveProtocol } from "./serve-event.ts";
import { toServeError } from "./to-serve-error.ts";
import { connectWorker, type WorkerConnection } from "./worker-connection.ts";

export interface TransformersPorts {
  readonly processes: EngineProcesses;
  /** The program of the worker and its arguments, and what its environment must have. */
  readonly worker: {
    readonly program: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  readonly report: () => Promise<EngineReport>;
  /** Begins to make the worker's environment. */
  readonly makeAvailable?: (() => void) | undefined;
  readonly settings: WorkerSettings;
}

export interface WorkerSettings {
  /** How long a worker may give no sign of an answer, in milliseconds. */
  readonly stallMs: number;
  /** How long it may take to stop an answer that is not wanted any more. */
  readonly cancelGraceMs: number;
  /** How long it may take to end when it is asked to. */
  readonly unloadGraceMs: number;
}

export const transformersName = "transformers";

/** Base models and LoRA adapters in the form of Hugging Face, on CPU or GPU, by `attune-serve`. */
export function createTransformersEngine(ports: TransformersPorts): InferenceEngine {
  return {
    name: transformersName,
    report: ports.report,
    ...(ports.makeAvailable !== undefined && { makeAvailable: ports.makeAvailable }),
    canLoad: ({ modelPath }) => isFile(join(modelPath, "config.json")),
    check: checkModel,
    load: (model, loadPorts, signal) => load(ports, { model, ports: loadPorts }, signal),
  };
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

async function checkModel({ modelPath, adapterPath, quantisation }: ModelToLoad): Promise<void> {
  const base = await checkModelFolder(modelPath);
  if (quantisation !== "none" && isJsonObject(base.config["quantization_config"])) {
    throw new AppError("MODEL_UNSUPPORTED", {
      detail: "The model is quantised already; load it with quantisation: none.",
    });
  }
  if (adapterPath !== undefined) await checkAdapterFolder(adapterPath, base);
}

interface LoadCall {
  readonly model: ModelToLoad;
  readonly ports: LoadPorts;
}

type ReadyEvent = Extract<ServeEvent, { type: "ready" }>;

async function load(engine: TransformersPorts, call: LoadCall, signal: AbortSignal): Promise<LoadedModel> {
  signal.throwIfAborted();
  const { model, ports } = call;
  const { program, args, env } = engine.worker;
  ports.onProgress({ stage: "spawn" });
  const { sessionId, folder, log } = ports;
  const own = { program, args, env, gpus: model.gpus, hasEvents: true };
  const worker = await engine.processes.start({ ...own, sessionId, folder, log });
  ports.onStarted(worker.pid);
  const answered = Promise.withResolvers<ReadyEvent>();
  const told: { fault?: AppError; isReady?: true } = {};
  const connection = connectWorker(worker, (event) => {
    if (event.type === "ready") {
      told.isReady = true;
      answered.resolve(event);
    } else if (event.type === "error") {
      // Of a model that is loaded already it says nothing that would end it.
      if (told.isReady === undefined) told.fault ??= toServeError(event);
      answered.reject(toServeError(event));
      log.note(`${event.code}: ${event.message}`);
    } else if (event.type === "progress") ports.onProgress(toProgress(event));
    else if (event.protocol !== serveProtocol) answered.reject(otherProtocol(event.protocol));
  });
  const died = worker.exited.then((exit) => {
    const error = told.fault ?? toExitError(exit, log.tail(200));
    connection.fail(error);
    return error;
  });
  void died.then((error) => answered.reject(error));
  const onAbort = (): void => answered.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    connection.send(toLoadCommand(model));
    const ready = await answered.promise;
    return toLoadedModel(ready, { engine, worker, connection, died });
  } catch (error) {
    await worker.end(0);
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const otherProtocol = (protocol: number): AppError =>
  new AppError("ENGINE_UNAVAILABLE", {
    detail: `attune-serve speaks version ${protocol} of its protocol, and ${serveProtocol} is needed; run npm run setup:python.`,
  });

const toLoadCommand = ({ modelPath, adapterPath, dtype, quantisation, contextLength }: ModelToLoad) =>
  ({
    cmd: "load",
    model_path: modelPath,
    adapter_path: adapterPath ?? null,
    dtype,
    quantisation,
    context_length: contextLength ?? null,
  }) as const;

const toProgress = ({ stage, current, total }: Extract<ServeEvent, { type: "progress" }>) => ({
  stage,
  ...(typeof current === "number" && { current }),
  ...(typeof total === "number" && { total }),
});

interface Running {
  readonly engine: TransformersPorts;
  readonly worker: EngineProcess;
  readonly connection: WorkerConnection;
  /** Resolves when the worker and all of its processes are gone. */
  readonly died: Promise<AppError>;
}

function toLoadedModel(ready: ReadyEvent, { engine, worker, connection, died }: Running): LoadedModel {
  const { stallMs, cancelGraceMs, unloadGraceMs } = engine.settings;
  let isWanted = true;
  let hang: AppError | undefined;
  const onHung = (error: AppError): void => {
    hang ??= error;
    connection.fail(error);
    worker.end(0).catch((failure: unknown) => worker.log.note(String(failure)));
  };
  return {
    contextLength: ready.context_length ?? null,
    memoryBytes: ready.memory_bytes ?? null,
    concurrency: ready.concurrency,
    ended: died.then((error) => (isWanted ? (hang ?? error) : undefined)),
    chat: (request, signal) => chatWithWorker(request, { connection, stallMs, cancelGraceMs, onHung }, signal),
    unload: async () => {
      isWanted = false;
      connection.fail(new AppError("MODEL_NOT_LOADED", { detail: "It was unloaded while it answered." }));
      connection.send({ cmd: "unload" });
      // It ends at the end of its input too, whatever it makes of the command.
      worker.stdin.end();
      await Promise.race([died, wait(unloadGraceMs)]);
      await worker.end(unloadGraceMs);
    },
  };
}

const wait = (timeoutMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
