import {
  chatAnswer,
  type ChatAnswer,
  chatFrame,
  chatRequest,
  inferenceStatus,
  loadAnswer,
  loadRequest,
  statusQuery,
  unloadAnswer,
  unloadRequest,
} from "@attune/contracts/compute/inference-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ChatEvent } from "../engines/inference-engine.ts";
import type { InferenceSessions, OpenedChat } from "../inference/create-inference-sessions.ts";
import { bindNodeRoute, defineNodeRoute, type NodeBinding, type NodeContext, type ServerEvent } from "./node-route.ts";

const shared = { tag: "Inference", access: "token" } as const;
/** The characters of `maxChatCharacters` in UTF-8 with escapes, and room for the rest. */
const maxChatBodyBytes = 32 * 1024 * 1024;

export const load = defineNodeRoute({
  ...shared,
  id: "loadModel",
  method: "POST",
  path: "/inference/load",
  summary:
    "Start to load a model; answers at once. What fails is told here with success: false or later in the status, never by a status of HTTP",
  body: loadRequest,
  responses: { 200: loadAnswer },
});

export const unload = defineNodeRoute({
  ...shared,
  id: "unloadModel",
  method: "POST",
  path: "/inference/unload",
  summary: "End a model and all of its processes; answers when nothing of it is left",
  body: unloadRequest,
  responses: { 200: unloadAnswer },
});

export const status = defineNodeRoute({
  ...shared,
  id: "getInferenceStatus",
  method: "GET",
  path: "/inference/status",
  summary: "Models that are loading, loaded or failed on this node",
  query: statusQuery,
  responses: { 200: inferenceStatus },
});

export const chat = defineNodeRoute({
  ...shared,
  id: "chat",
  method: "POST",
  path: "/inference/chat",
  summary: "One answer of a loaded model; a caller that goes away ends it",
  body: chatRequest,
  maxBodyBytes: maxChatBodyBytes,
  responses: { 200: chatAnswer },
});

export const chatStream = defineNodeRoute({
  ...shared,
  id: "streamChat",
  method: "POST",
  path: "/inference/chat/stream",
  summary: "The answer of a loaded model as server-sent events; a caller that goes away ends it within a token",
  body: chatRequest,
  maxBodyBytes: maxChatBodyBytes,
  responses: {
    200: {
      mediaType: "text/event-stream",
      description: "Frames delta, usage, done; a failure is a last frame problem",
      data: chatFrame,
    },
  },
});

/** The operations of models in memory. */
export function bindInferenceRoutes(sessions: InferenceSessions): NodeBinding[] {
  return [
    bindNodeRoute(load, async ({ body }) => ({ body: await sessions.load(body) })),
    bindNodeRoute(unload, async ({ body }) => ({ body: await sessions.unload(body) })),
    bindNodeRoute(status, async ({ query }) => ({ body: { sessions: [...sessions.status(query)] } })),
    bindNodeRoute(chat, async (context) => ({ body: await answerWhole(open(sessions, context)) })),
    bindNodeRoute(chatStream, async (context) => ({ events: toFrames(open(sessions, context)) })),
  ];
}

type ChatCall = Pick<NodeContext<typeof chat>, "body" | "signal">;

function open(sessions: InferenceSessions, { body, signal }: ChatCall): OpenedChat {
  const { messages, generation } = body;
  return sessions.chat(body, { messages, generation }, signal);
}

/** @throws AppError CALL_CANCELLED when the caller went away, and what the engine throws */
async function answerWhole({ session, events }: OpenedChat): Promise<ChatAnswer> {
  const { loadId, spec } = session;
  let content = "";
  let usage: ChatAnswer["usage"] = null;
  for await (const event of events) {
    if (event.type === "delta") content += event.text;
    else if (event.type === "usage") usage = toUsage(event);
    else if (event.finish === "cancelled") throw new AppError("CALL_CANCELLED");
    else {
      const message = { role: "assistant", content } as const;
      return {
        load_id: loadId,
        task_id: spec.taskId,
        node_id: spec.nodeId,
        message,
        finish_reason: event.finish,
        usage,
      };
    }
  }
  throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "Its answer had no end." });
}

async function* toFrames({ session, events }: OpenedChat): AsyncGenerator<ServerEvent> {
  const { loadId, spec } = session;
  for await (const event of events) {
    if (event.type === "delta") yield { event: "delta", data: { text: event.text } };
    else if (event.type === "usage") yield { event: "usage", data: toUsage(event) };
    else yield { event: "done", data: { finish_reason: event.finish, load_id: loadId, task_id: spec.taskId } };
  }
}

const toUsage = ({ promptTokens, completionTokens }: Extract<ChatEvent, { type: "usage" }>) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});
