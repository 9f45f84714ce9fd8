import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type { Generation } from "@attune/contracts/compute/run-spec.ts";
import { Agent } from "undici";
import type { InferenceEngine, LoadedModel, LoadPorts, ModelToLoad } from "../inference-engine.ts";
import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { chatOverHttp } from "./chat-over-http.ts";
import { type ListedModel, listServedModels } from "./list-served-models.ts";
import { toTransportError } from "./to-upstream-error.ts";

export interface OpenaiCompatibleSettings {
  /** Ends before `/chat/completions`; undefined where the node has no such server. */
  readonly url: string | undefined;
  readonly key: Secret | undefined;
  /** Chats that it is sent at once. */
  readonly concurrency: number;
  /** How long it may send nothing, in milliseconds. */
  readonly stallMs: number;
}

export const openaiCompatibleName = "openai_compatible";

/** A server with OpenAI's API that runs already, and whose models are nobody's to load or unload. */
export function createOpenaiCompatibleEngine(settings: OpenaiCompatibleSettings): InferenceEngine {
  return {
    name: openaiCompatibleName,
    report: keepForAMinute(() => report(settings)),
    // A path means nothing to it, so that it is only taken by name.
    canLoad: () => Promise.resolve(false),
    check: (model) => check(settings, model),
    load: (model, ports, signal) => load(settings, { model, ports }, signal),
  };
}

async function report({ url, key }: OpenaiCompatibleSettings): Promise<EngineReport> {
  const why =
    url === undefined ? "Set NODE_AGENT_OPENAI_COMPATIBLE_URL to its address." : await whyUnreachable(url, key);
  return {
    name: openaiCompatibleName,
    description: "A server with OpenAI's chat API that runs already",
    supports: ["remote"],
    available: why === "",
    unavailableReason: why,
    versions: {},
  };
}

async function whyUnreachable(url: string, key: Secret | undefined): Promise<string> {
  try {
    await listServedModels(url, key?.reveal() ?? "");
    return "";
  } catch (error) {
    return toTransportError(error).message;
  }
}

/** OpenAI's API does not have them, and a server that passes over what it does not know would answer otherwise than asked. */
function refuseExtra({ top_k, repetition_penalty }: Generation): Record<string, never> {
  const refused = top_k > 0 ? "top_k" : repetition_penalty === 1 ? undefined : "repetition_penalty";
  if (refused === undefined) return {};
  throw new AppError("CHAT_REJECTED", { detail: `The server is not known to take ${refused}.` });
}

async function check(settings: OpenaiCompatibleSettings, model: ModelToLoad): Promise<void> {
  if (settings.url === undefined)
    throw new AppError("ENGINE_UNAVAILABLE", { detail: (await report(settings)).unavailableReason });
  if (model.adapterPath !== undefined) throw fixed("an adapter has a name of its own there");
  if (model.quantisation !== "none" || model.dtype !== "auto") throw fixed("dtype and quantisation are the server's");
  if (model.contextLength !== undefined) throw fixed("context_length is the server's");
  await findModel(settings, model);
}

const fixed = (why: string): AppError =>
  new AppError("MODEL_UNSUPPORTED", { detail: `The model is loaded by another server: ${why}.` });

async function findModel(
  { url = "", key }: OpenaiCompatibleSettings,
  { modelPath }: ModelToLoad,
): Promise<ListedModel> {
  const models = await listServedModels(url, key?.reveal() ?? "").catch((error: unknown) => {
    throw toTransportError(error);
  });
  const found = models.find(({ id }) => id === modelPath);
  if (found !== undefined) return found;
  const names = models.slice(0, 20).map(({ id }) => id);
  throw new AppError("MODEL_PATH_NOT_FOUND", { detail: `The server has ${names.join(", ")}, and not ${modelPath}.` });
}

interface LoadCall {
  readonly model: ModelToLoad;
  readonly ports: LoadPorts;
}

async function load(
  settings: OpenaiCompatibleSettings,
  { model }: LoadCall,
  signal: AbortSignal,
): Promise<LoadedModel> {
  signal.throwIfAborted();
  const { contextLength } = await findModel(settings, model);
  signal.throwIfAborted();
  const dispatcher = new Agent({ connections: null });
  const ended = Promise.withResolvers<undefined>();
  const server = {
    url: settings.url ?? "",
    key: settings.key?.reveal() ?? "",
    model: model.modelPath,
    dispatcher,
    stallMs: settings.stallMs,
    contextLength,
    toExtra: refuseExtra,
  };
  return {
    contextLength,
    memoryBytes: null,
    concurrency: settings.concurrency,
    ended: ended.promise,
    chat: (request, chatSignal) => chatOverHttp(server, request, chatSignal),
    unload: async () => {
      ended.resolve(undefined);
      await dispatcher.destroy();
    },
  };
}
