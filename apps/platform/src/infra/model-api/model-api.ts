import type { Secret } from "@attune/service-kit/secret.ts";
import type * as z from "zod";

/** Where a model is called, and as what. */
export interface ModelEndpoint {
  /** What stands before `/chat/completions`, such as `https://api.example.com/v1`. */
  readonly apiUrl: string;
  /** The name of the model at that API. */
  readonly apiModel: string;
  readonly secret?: Secret;
  /** Requests at a time to this API, for all models under one URL and key; the platform's default without it. */
  readonly maxConcurrency?: number;
  /** Requests begun within any 60 seconds; no limit without it. */
  readonly requestsPerMinute?: number;
}

/**
 * One model behind an API. Each method throws AppError with a reason `MODEL_API_…`, and the reason of `signal` when that
 * aborts. What is safe to repeat has been repeated before it throws.
 */
export interface ModelApi {
  complete(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>;
  /** Nothing is sent before the first delta is asked for; leaving the loop ends the request. The last delta is `end`. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatDelta, void, void>;
  /** @throws AppError `MODEL_API_OUTPUT_INVALID` when the answer does not fit the schema, also after one repair. */
  completeStructured<T>(request: StructuredRequest<T>, signal: AbortSignal): Promise<StructuredAnswer<T>>;
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingAnswer>;
  listModels(signal: AbortSignal): Promise<readonly ListedModel[]>;
  /** What a person needs to set the model up; failures are part of the report, not thrown. */
  testConnection(purpose: ModelPurpose, signal: AbortSignal): Promise<ConnectionReport>;
}

export type ModelPurpose = "chat" | "embedding";

export type ChatPart =
  | { readonly type: "text"; readonly text: string }
  /** An http, https or data URL. */
  | { readonly type: "image"; readonly url: string };

export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ChatPart[] }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: "tool"; readonly toolCallId: string; readonly content: string };

export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; it may not fit the schema. */
  readonly argumentsText: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Most tokens to generate, those of reasoning included. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: "auto" | "none" | "required";
  /** Parameters of this API beyond the common ones; they cannot replace those above. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

export const finishReasons = ["stop", "length", "tool_calls", "content_filter", "other"] as const;
/** `length`: cut at `maxTokens` or the end of the context. */
export type FinishReason = (typeof finishReasons)[number];

export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Part of the completion; undefined when the API does not say. */
  readonly reasoningTokens?: number;
}

export interface ChatAnswer {
  /** The answer without its reasoning. */
  readonly content: string;
  /** What the model thought before it answered; empty when it told nothing of it. */
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  /** Undefined when the API does not tell it. */
  readonly usage: TokenUsage | undefined;
  /** The model that answered, as the API names it. */
  readonly model: string;
}

export type ChatDelta =
  | { readonly type: "content" | "reasoning"; readonly text: string }
  /** A `</think>` without its beginning came: all content until now was reasoning. */
  | { readonly type: "content_was_reasoning" }
  | {
      readonly type: "tool_call";
      readonly index: number;
      readonly name: string;
      /** What came now; `end` has the whole. */
      readonly argumentsText: string;
    }
  | { readonly type: "end"; readonly answer: ChatAnswer };

export interface StructuredRequest<T> extends ChatRequest {
  /** What the answer must fit; an object at its root. */
  readonly schema: z.ZodType<T>;
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly schemaName: string;
}

export interface StructuredAnswer<T> {
  readonly value: T;
  /** The last answer; `usage` is the sum over all requests. */
  readonly answer: ChatAnswer;
  /** How the form was asked for. */
  readonly mode: StructuredMode;
  /** Whether a first answer did not fit and was repaired. */
  readonly isRepaired: boolean;
}

/** From the strongest to the weakest: constrained by the schema, constrained to JSON, told in words. */
export const structuredModes = ["json_schema", "json_object", "prompt"] as const;
export type StructuredMode = (typeof structuredModes)[number];

export interface EmbeddingRequest {
  /** Texts that are not empty; any number, sent in batches. */
  readonly texts: readonly string[];
  readonly dimensions?: number;
}

export interface EmbeddingAnswer {
  /** One for each text, in their order, all of one length. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number | undefined;
}

export interface ListedModel {
  readonly id: string;
  /** Undefined when the API does not tell it. */
  readonly contextTokens: number | undefined;
}

export interface ConnectionReport {
  readonly isOk: boolean;
  /** What was asked, in order. */
  readonly steps: readonly ConnectionStep[];
  /** Whether the list of models names it; undefined when the API has no list. */
  readonly isModelListed: boolean | undefined;
  /** Names that the API lists, at most 100. */
  readonly models: readonly string[];
  /** Why it does not work; undefined when it does. */
  readonly failure: ConnectionFailure | undefined;
}

export interface ConnectionStep {
  /** Method and URL, such as `GET https://api.example.com/v1/models`. */
  readonly asked: string;
  readonly hasPassed: boolean;
  readonly latencyMs: number;
  /** What came, in a few words. */
  readonly outcome: string;
}

export interface ConnectionFailure {
  /** A reason of the catalogue. */
  readonly reason: string;
  readonly what: string;
  /** What to change, for this very case. */
  readonly remedy: string;
}
