import type { Generation } from "@attune/contracts/compute/run-spec.ts";
import type { EngineLog } from "./create-engine-log.ts";
import type { EngineReport } from "./job-engine.ts";
import type { Usable } from "./why-unavailable.ts";

export interface ModelToLoad {
  /** A folder or file on the node; for an endpoint that runs already the name that it has there. */
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
  /** Tokens; null when the engine does not tell. */
  readonly contextLength: number | null;
  /** Bytes of memory that its weights take, on the GPUs or in the machine; null when the engine does not tell. */
  readonly memoryBytes: number | null;
  /** Chats that it answers at once. */
  readonly concurrency: number;
  /** Resolves when the engine is gone, however it went, with the reason unless it was asked to go. */
  readonly ended: Promise<Error | undefined>;
  /**
   * The last event is `done`. An aborted signal ends the generation within a token and the stream with `done: cancelled`;
   * so does a reader who stops to read. When the iteration has ended, the engine works on it no more.
   * @throws AppError, also in the middle of an answer
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /**
   * Resolves when its whole process group is gone; may be called again.
   * @throws AppError MODEL_UNLOAD_INCOMPLETE when something of it cannot be ended
   */
  unload(): Promise<void>;
}

/** What a load is given beside the model. */
export interface LoadPorts {
  /** Id of the session; its processes carry it as ATTUNE_RUN_ID. */
  readonly sessionId: string;
  readonly onProgress: (progress: LoadProgress) => void;
  /** Told of the engine's process as soon as there is one: the leader of a group of its own. */
  readonly onStarted: (pid: number) => void;
  /** Absolute; the engine's own. */
  readonly folder: string;
  /** Takes what its processes write. */
  readonly log: EngineLog;
}

export interface InferenceEngine extends Usable {
  readonly name: string;
  /** Probes anew when what it found is older than a minute. */
  report(): Promise<EngineReport>;
  /** Whether it reads the model's format; decides when a caller names no engine. */
  canLoad(model: ModelToLoad): Promise<boolean>;
  /**
   * Finds in milliseconds, before anything is started, what can be known of a load that must fail.
   * @throws AppError saying why it must and what to do
   */
  check(model: ModelToLoad): Promise<void>;
  /**
   * @throws AppError saying why it failed and what to do, or the signal's reason when it is aborted; then no process is left,
   *   or the error is MODEL_UNLOAD_INCOMPLETE
   */
  load(model: ModelToLoad, ports: LoadPorts, signal: AbortSignal): Promise<LoadedModel>;
}
