import { noTokenLimit } from "@attune/contracts/compute/run-spec.ts";
import {
  type OpenaiChatRequest,
  openaiChatRequest,
  openaiCompletion,
  openaiModel,
  openaiModels,
} from "@attune/contracts/compute/openai-chat-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { ChatRequest } from "../engines/inference-engine.ts";
import type { InferenceSessions, OpenedChat } from "../inference/create-inference-sessions.ts";
import { bindNodeRoute, defineNodeRoute, type NodeBinding, type NodeContext } from "./node-route.ts";
import { answerWhole, streamChunks } from "./openai-answers.ts";

const shared = { tag: "OpenAI", access: "token" } as const;

export const complete = defineNodeRoute({
  ...shared,
  id: "createChatCompletion",
  method: "POST",
  path: "/v1/chat/completions",
  summary:
    "An answer of a loaded model in the form of OpenAI's chat API; with stream: true as server-sent events. `model` is a task_id, load_id or path of GET /inference/status",
  body: openaiChatRequest,
  maxBodyBytes: 32 * 1024 * 1024,
  responses: { 200: openaiCompletion },
});

export const listModels = defineNodeRoute({
  ...shared,
  id: "listOpenaiModels",
  method: "GET",
  path: "/v1/models",
  summary: "Models that are loaded, as OpenAI's API lists them",
  responses: { 200: openaiModels },
});

export const getModel = defineNodeRoute({
  ...shared,
  id: "getOpenaiModel",
  method: "GET",
  path: "/v1/models/{id}",
  summary: "One model that is loaded, by what a request would name it",
  params: z.object({ id: z.string() }),
  responses: { 200: openaiModel },
});

/** OpenAI's chat API on the models in memory, so that any client of it works. */
export function bindOpenaiRoutes(sessions: InferenceSessions): NodeBinding[] {
  return [
    bindNodeRoute(complete, async (context) => answer(sessions, context)),
    bindNodeRoute(listModels, async () => ({ body: { object: "list" as const, data: listReady(sessions) } })),
    bindNodeRoute(getModel, async ({ params }) => ({ body: oneModel(sessions, params.id) })),
  ];
}

async function answer(sessions: InferenceSessions, { body: request, signal }: NodeContext<typeof complete>) {
  const opened = open(sessions, request, signal);
  const { model } = request;
  if (request.stream !== true) return { body: await answerWhole(opened, model) };
  const hasUsage = request.stream_options?.include_usage === true;
  return { events: streamChunks(opened, { model, hasUsage }) };
}

function open(sessions: InferenceSessions, request: OpenaiChatRequest, signal: AbortSignal): OpenedChat {
  const loadId = findModel(sessions, request.model);
  return sessions.chat({ load_id: loadId }, toChatRequest(request), signal);
}

/** A name that fits none is an id of nothing, of which the sessions say that it is not loaded. */
function findModel(sessions: InferenceSessions, name: string): string {
  const ready = sessions.status({}).filter(({ state }) => state === "ready");
  const fits = [
    ready.filter(({ load_id, task_id }) => load_id === name || task_id === name),
    ready.filter(({ model_path, adapter_path }) => [model_path, adapter_path].includes(name)),
    ready.filter(({ model_path, adapter_path }) => lastOf(adapter_path ?? model_path) === name),
  ];
  const unique = fits.find((found) => found.length === 1);
  return unique?.[0]?.load_id ?? name;
}

const lastOf = (path: string): string => path.split("/").at(-1) ?? "";

/** OpenAI's defaults: temperature 1, and as many tokens as the context has room for. */
function toChatRequest(request: OpenaiChatRequest): ChatRequest {
  const { stop, seed } = request;
  return {
    messages: request.messages.map(({ role, content }) => ({
      role: role === "developer" ? "system" : role,
      content: typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join(""),
    })),
    generation: {
      max_new_tokens: request.max_completion_tokens ?? request.max_tokens ?? noTokenLimit,
      temperature: request.temperature ?? 1,
      top_p: request.top_p ?? 1,
      top_k: request.top_k ?? 0,
      repetition_penalty: request.repetition_penalty ?? 1,
      stop: typeof stop === "string" ? [stop] : (stop ?? []),
      ...(typeof seed === "number" && { seed }),
    },
  };
}

const listReady = (sessions: InferenceSessions) =>
  sessions
    .status({})
    .filter(({ state }) => state === "ready")
    .map(toModel);

function oneModel(sessions: InferenceSessions, name: string) {
  const loadId = findModel(sessions, name);
  const found = sessions.status({}).find(({ state, load_id }) => state === "ready" && load_id === loadId);
  if (found === undefined) throw new AppError("MODEL_NOT_LOADED");
  return toModel(found);
}

const toModel = ({ task_id, load_id, ready_at }: ReturnType<InferenceSessions["status"]>[number]) => ({
  id: task_id ?? load_id,
  object: "model" as const,
  created: Math.floor(Date.parse(ready_at ?? "") / 1000),
  owned_by: "attune" as const,
});
