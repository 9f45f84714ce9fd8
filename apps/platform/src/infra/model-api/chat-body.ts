import type { ChatMessage, ChatRequest, StructuredMode } from "./model-api.ts";

/** What an API was found not to support; found once, kept for as long as the platform runs. */
export interface Dialect {
  /** OpenAI's newer models take the other name only. */
  tokenLimitField: "max_tokens" | "max_completion_tokens";
  hasStreamOptions: boolean;
  structuredMode: StructuredMode;
}

export const createDialect = (): Dialect => ({
  tokenLimitField: "max_tokens",
  hasStreamOptions: true,
  structuredMode: "json_schema",
});

export interface ChatBodyOptions {
  readonly model: string;
  readonly isStream: boolean;
  readonly dialect: Dialect;
  readonly responseFormat?: unknown;
}

/** A chat request as the protocol writes it. */
export function toChatBody(request: ChatRequest, options: ChatBodyOptions): Readonly<Record<string, unknown>> {
  const { model, isStream, dialect, responseFormat } = options;
  const { maxTokens, temperature, topP, stop, seed, tools, toolChoice } = request;
  const common = {
    model,
    messages: request.messages.map(toMessage),
    [dialect.tokenLimitField]: maxTokens,
    temperature,
    top_p: topP,
    stop,
    seed,
    tools: tools?.map((tool) => ({ type: "function", function: tool })),
    tool_choice: toolChoice,
    response_format: responseFormat,
    stream: isStream ? true : undefined,
    stream_options: isStream && dialect.hasStreamOptions ? { include_usage: true } : undefined,
  };
  const given = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
  const extra = Object.entries(request.extraBody ?? {}).filter(([key]) => !(key in common));
  return { ...Object.fromEntries(extra), ...given };
}

function toMessage(message: ChatMessage): Readonly<Record<string, unknown>> {
  const { role, content } = message;
  if (role === "tool") return { role, content, tool_call_id: message.toolCallId };
  if (role === "assistant" && message.toolCalls !== undefined) {
    const tool_calls = message.toolCalls.map(({ id, name, argumentsText }) => ({
      id,
      type: "function",
      function: { name, arguments: argumentsText },
    }));
    return { role, content: content === "" ? null : content, tool_calls };
  }
  if (typeof content === "string") return { role, content };
  const parts = content.map((part) =>
    part.type === "text" ? part : { type: "image_url", image_url: { url: part.url } },
  );
  return { role, content: parts };
}
