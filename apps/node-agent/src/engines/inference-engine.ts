import type { Generation } from "@attune/contracts/compute/run-spec.ts";
import type { EngineReport } from "./job-engine.ts";

export interface ModelToLoad {
  readonly modelPath: string;
  readonly adapterPath: string | undefined;
  /** Indices on this node; empty is the CPU. */
  readonly gpus: readonly number[];
  readonly dtype: "auto" | "bf16" | "fp16" | "fp32";
  readonly quantisation: "none" | "nf4" | "int8";
  /** Tokens; undefined is the model's own. */
  readonly contextLength: number | undefined;
}

export const loadStages = ["spawn", "config", "tokenizer", "weights", "adapter", "warmup"] as const;
export interface LoadProgress {
  readonly stage: (typeof loadStages)[number];
  readonly current?: number;
  readonly total?: number;
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly generation: Generation;
}

export type ChatEvent =
  | { readonly type: "delta"; readonly text: string }
  | { readonly type: "usage"; readonly promptTokens: number; readonly completionTokens: number }
  | { readonly type: "done"; readonly finish: "stop" | "length" | "cancelled" };

/** A model in memory. It ends with the agent. */
export interface LoadedModel {
  readonly contextLength: number | null;
  /** Bytes of memory that its weights take, on the GPUs or in the machine; null when the engine does not tell. */
  readonly memoryBytes: number | null;
  /** Chats that it answers at once. */
  readonly concurrency: number;
  /** Resolves when the engine is gone, however it went, with the reason unless it was asked to go. */
  readonly ended: Promise<Error | undefined>;
  /** @throws AppError; an aborted signal ends the generation within a token and the stream with `done: cancelled`. */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** Resolves when its whole process group is gone and its GPU memory is seen to be free. */
  unload(): Promise<void>;
}

export interface InferenceEngine {
  readonly name: string;
  report(): Promise<EngineReport>;
  /** Whether it reads the model's format; decides when a caller names no engine. */
  canLoad(model: ModelToLoad): Promise<boolean>;
  /** @throws AppError saying why it failed and what to do; an aborted signal leaves no process. */
  load(
    model: ModelToLoad,
    ports: { readonly onProgress: (progress: LoadProgress) => void; readonly logPath: string },
    signal: AbortSignal,
  ): Promise<LoadedModel>;
}
