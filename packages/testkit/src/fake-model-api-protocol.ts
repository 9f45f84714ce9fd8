import type { IncomingHttpHeaders, ServerResponse } from "node:http";

/** A model of the fake server. */
export interface FakeModel {
  readonly id: string;
  readonly kind: "chat" | "embedding";
  /** Told as `max_model_len`, as vLLM does. */
  readonly contextTokens?: number;
}

export interface FakeToolCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** What a model says to one request. */
export interface FakeAnswer {
  readonly content?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly FakeToolCall[];
  /** Default: `stop`, `length` when max_tokens cut it, `tool_calls` when there are any. */
  readonly finishReason?: string;
}

/** How server-sent events are written; all of these forms are allowed and met in practice. */
export interface SseStyle {
  readonly lineEnding?: "\n" | "\r\n" | "\r";
  /** Comment lines between events, as gateways send them to keep a connection open. */
  readonly hasComments?: boolean;
  /** Bytes are sent in pieces of this size, so that lines and UTF-8 sequences are cut anywhere. */
  readonly pieceBytes?: number;
  /** Whether `data: [DONE]` ends the stream (default true). */
  readonly hasDone?: boolean;
  /** `choices` of the usage chunk: an empty list as documented, or null as some servers send it. */
  readonly usageChoices?: "empty" | "null";
  /** `event:` and `id:` lines beside the data, and a data line without the space. */
  readonly hasOtherFields?: boolean;
}

export interface RecordedModelRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
  /** When it had arrived, by the clock of `performance.now`. */
  readonly atMs: number;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly n?: number;
  readonly stop?: string | readonly string[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: unknown } }[];
  readonly tool_choice?: unknown;
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: { readonly name?: string; readonly schema?: unknown; readonly strict?: boolean };
  };
}

export interface FakeModelApiOptions {
  /** The key that callers must send as a bearer token; none is asked for without it. */
  readonly apiKey?: string;
  /** Default: the chat model `fake-chat` and the embedding model `fake-embedding` with 64 dimensions. */
  readonly models?: readonly FakeModel[];
  /** What the chat model says; by default it repeats the last message of the user. */
  readonly answer?: (request: ChatBody) => FakeAnswer | string;
  /** Wait before each answer, in ms. */
  readonly latencyMs?: number;
  /** Speed of generation; as fast as can be without it. */
  readonly tokensPerSecond?: number;
  /** How reasoning is written: in its own field, or in the text between `<think>` and `</think>`. */
  readonly reasoning?: "reasoning_content" | "reasoning" | "think" | "think-unopened";
  /** Parts of the protocol that this server refuses with status 400, as older or stricter ones do. */
  readonly refuses?: readonly ("json_schema" | "json_object" | "stream_options" | "max_tokens")[];
  /** Parts that it accepts and ignores. */
  readonly ignores?: readonly ("stream" | "response_format")[];
  readonly sse?: SseStyle;
  /** Path before `/chat/completions`; default `/v1`. */
  readonly pathPrefix?: string;
  /** A server without this path answers it with 404. */
  readonly hasModelList?: boolean;
  /** Loopback address to listen on. */
  readonly host?: string;
}

/** One request being answered. */
export interface FakeExchange {
  readonly options: FakeModelApiOptions;
  readonly body: ChatBody;
  readonly response: ServerResponse;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
}

/** A refusal in the form of the protocol: `{"error": {message, type, param, code}}`. */
export class FakeRefusal extends Error {
  readonly status: number;
  readonly json: unknown;

  constructor(status: number, json: unknown) {
    super(`refused with ${status}`);
    this.status = status;
    this.json = json;
  }
}

export function refuse(
  status: number,
  message: string,
  { code = null, param = null }: { readonly code?: string | null; readonly param?: string | null } = {},
): FakeRefusal {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return new FakeRefusal(status, { error: { message, type, param, code } });
}

/** Words with the space before them: near enough to tokens for counts, stops and streams. */
export function toTokens(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}
