import type { OpenaiCompletion, OpenaiUsage } from "@attune/contracts/compute/openai-chat-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import type { ChatEvent } from "../engines/inference-engine.ts";
import type { OpenedChat } from "../inference/create-inference-sessions.ts";
import type { ServerEvent } from "./node-route.ts";

const head = (model: string) => ({ id: `chatcmpl-${createId()}`, created: Math.floor(Date.now() / 1000), model });

/** @throws AppError CALL_CANCELLED when the caller went away, and what the engine throws */
export async function answerWhole({ events }: OpenedChat, model: string): Promise<OpenaiCompletion> {
  let content = "";
  let usage: OpenaiUsage | undefined;
  for await (const event of events) {
    if (event.type === "delta") content += event.text;
    else if (event.type === "usage") usage = toUsage(event);
    else if (event.finish === "cancelled") throw new AppError("CALL_CANCELLED");
    else {
      const message = { role: "assistant", content, refusal: null } as const;
      const choices = [{ index: 0, message, logprobs: null, finish_reason: event.finish }];
      return { ...head(model), object: "chat.completion", choices, ...(usage !== undefined && { usage }) };
    }
  }
  throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "Its answer had no end." });
}

export interface ChunkOptions {
  readonly model: string;
  /** Whether a last chunk tells the usage. */
  readonly hasUsage: boolean;
}

/** A stream that fails has no `[DONE]`. */
export async function* streamChunks({ events }: OpenedChat, options: ChunkOptions): AsyncGenerator<ServerEvent> {
  const same = { ...head(options.model), object: "chat.completion.chunk" };
  const chunk = (delta: object, finish_reason: string | null = null): ServerEvent => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return { data: { ...same, choices, ...(options.hasUsage && { usage: null }) } };
  };
  let usage: OpenaiUsage | undefined;
  yield chunk({ role: "assistant", content: "" });
  for await (const event of events) {
    if (event.type === "delta") yield chunk({ content: event.text });
    else if (event.type === "usage") usage = toUsage(event);
    else if (event.finish === "cancelled") return;
    else yield chunk({}, event.finish);
  }
  if (options.hasUsage && usage !== undefined) yield { data: { ...same, choices: [], usage } };
  yield { text: "[DONE]" };
}

const toUsage = ({ promptTokens, completionTokens }: Extract<ChatEvent, { type: "usage" }>): OpenaiUsage => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});
