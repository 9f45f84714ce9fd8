import * as z from "zod";
import { gpuRequestFields } from "./run-record.ts";
import { generationSchema } from "./run-spec.ts";

/** Engines that hold a model in memory; without a name the first one that reads the model's format is taken. */
export const inferenceEngineNames = ["transformers", "llama_server", "vllm", "openai_compatible"] as const;
export type InferenceEngineName = (typeof inferenceEngineNames)[number];

/**
 * Life of a model on a node: starting (it is checked, waits for the one before it, or is being read) → ready → unloading →
 * gone. error: it is not in memory, and `reason` says why; it stays listed until it is unloaded or loaded again.
 */
export const inferenceStates = ["starting", "ready", "error", "unloading"] as const;
export type InferenceState = (typeof inferenceStates)[number];

/** What a starting model waits for: checks before anything is started, the end of the model it replaces, then the engine. */
export const inferenceStages = [
  "check",
  "wait",
  "spawn",
  "config",
  "tokenizer",
  "weights",
  "adapter",
  "warmup",
] as const;
export type InferenceStage = (typeof inferenceStages)[number];

const name = z.string().min(1).max(200);
const path = z.string().min(1).max(4096);
const time = z.iso.datetime();
const count = z.int().nonnegative();

/** What chooses a loaded model; all that are given must fit. None: the only one that is there. */
const choice = {
  load_id: name.nullish().meta({ description: "Id that the load answered with" }),
  task_id: name.nullish().meta({ description: "Id of the caller's task, as given to the load" }),
  node_id: name.nullish().meta({ description: "Id of the node as its callers have it, as given to the load" }),
};

/** Body of POST /inference/load. */
export const loadRequest = z
  .strictObject({
    model_path: path.meta({
      description:
        "Absolute path of the model's folder or GGUF file; for openai_compatible the name of the model there",
    }),
    adapter_path: path.nullish().meta({ description: "Absolute path of a LoRA adapter of that model" }),
    engine: z.enum(inferenceEngineNames).nullish(),
    dtype: z.enum(["auto", "bf16", "fp16", "fp32"]).default("auto"),
    quantisation: z.enum(["none", "nf4", "int8"]).default("none"),
    context_length: z
      .int()
      .positive()
      .max(16_777_216)
      .nullish()
      .meta({ description: "Tokens; the model's own unless given" }),
    ...gpuRequestFields,
    task_id: choice.task_id,
    node_id: choice.node_id,
    replace: z.boolean().default(false).meta({
      description: "Whether another model that this task has loaded is unloaded first; else the load is refused",
    }),
    timeout_seconds: z.int().positive().max(86_400).nullish().meta({
      description: "Time for the whole load, after which it is given up",
    }),
  })
  .meta({ id: "InferenceLoadRequest" });
export type LoadRequest = z.infer<typeof loadRequest>;

/** Answer of POST /inference/load: always with status 200 once the request has the right form. */
export const loadAnswer = z
  .strictObject({
    success: z.boolean().meta({ description: "Whether the model is loading or loaded" }),
    state: z.enum(inferenceStates),
    load_id: z.string().nullable().meta({ description: "Null when there is no such load" }),
    message: z.string(),
    reason: z.string().nullable().meta({ description: "One of the reasons of a node; null when there is no failure" }),
    hint: z.string().nullable().meta({ description: "What can be done about it" }),
  })
  .meta({ id: "InferenceLoadAnswer" });
export type LoadAnswer = z.infer<typeof loadAnswer>;

/** Body of POST /inference/unload. */
export const unloadRequest = z.strictObject(choice).meta({ id: "InferenceUnloadRequest" });
export type UnloadRequest = z.infer<typeof unloadRequest>;

export const unloadAnswer = z
  .strictObject({
    success: z.boolean().meta({ description: "Whether nothing of it is left: no process, no memory on a GPU" }),
    state: z.enum(["unloaded", "not_loaded", "unloading"]),
    load_id: z.string().nullable(),
    message: z.string(),
    reason: z.string().nullable(),
    hint: z.string().nullable(),
  })
  .meta({ id: "InferenceUnloadAnswer" });
export type UnloadAnswer = z.infer<typeof unloadAnswer>;

/** Query of GET /inference/status. */
export const statusQuery = z.strictObject({
  load_id: name.optional(),
  task_id: name.optional(),
  node_id: name.optional(),
});
export type StatusQuery = z.infer<typeof statusQuery>;

export const inferenceSessionView = z
  .strictObject({
    load_id: z.string(),
    task_id: z.string().nullable(),
    node_id: z.string().nullable(),
    state: z.enum(inferenceStates),
    stage: z.enum(inferenceStages).nullable().meta({ description: "Where a starting model stands; null else" }),
    progress: z
      .strictObject({ current: z.number(), total: z.number().nullable() })
      .nullable()
      .meta({ description: "How far that stage is, where the engine tells it" }),
    message: z.string(),
    reason: z.string().nullable(),
    hint: z.string().nullable(),
    log_tail: z.array(z.string()).max(200).meta({ description: "Last lines of the engine's log, of state error" }),
    engine: z.string().nullable(),
    model_path: z.string(),
    adapter_path: z.string().nullable(),
    dtype: z.string(),
    quantisation: z.string(),
    context_length: z.int().nullable().meta({ description: "Tokens, as the engine tells it; null until it does" }),
    gpus: z.array(z.int()).meta({ description: "Indices of its GPUs; empty: the CPU" }),
    memory_bytes: z
      .number()
      .nullable()
      .meta({ description: "Memory of its weights; null when the engine does not tell" }),
    concurrency: z.int().nullable().meta({ description: "Chats answered at once" }),
    active_chats: count,
    queued_chats: count,
    pid: z.int().nullable(),
    created_at: time,
    since: time.meta({ description: "When it came into this state" }),
    ready_at: time.nullable(),
  })
  .meta({ id: "InferenceSession" });
export type InferenceSessionView = z.infer<typeof inferenceSessionView>;

/** Answer of GET /inference/status, the oldest first. */
export const inferenceStatus = z
  .strictObject({ sessions: z.array(inferenceSessionView) })
  .meta({ id: "InferenceStatus" });
export type InferenceStatus = z.infer<typeof inferenceStatus>;

/** Characters of all messages of a chat together. */
export const maxChatCharacters = 4 * 1024 * 1024;
export const chatRoles = ["system", "user", "assistant", "tool"] as const;

export const chatMessages = z
  .array(z.strictObject({ role: z.enum(chatRoles), content: z.string().max(maxChatCharacters) }))
  .min(1)
  .max(2000)
  .refine((messages) => messages.reduce((sum, { content }) => sum + content.length, 0) <= maxChatCharacters, {
    error: `the messages have more than ${maxChatCharacters} characters together`,
  });

/** Body of POST /inference/chat and /inference/chat/stream. */
export const chatRequest = z
  .strictObject({ ...choice, messages: chatMessages, generation: generationSchema.prefault({}) })
  .meta({ id: "InferenceChatRequest" });
export type ChatRequestBody = z.infer<typeof chatRequest>;

const usage = z.strictObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count });
export type ChatUsage = z.infer<typeof usage>;
const finishReason = z
  .enum(["stop", "length", "cancelled"])
  .meta({ description: "length: max_new_tokens or the context ended it" });

/** Answer of POST /inference/chat. */
export const chatAnswer = z
  .strictObject({
    load_id: z.string(),
    task_id: z.string().nullable(),
    node_id: z.string().nullable(),
    message: z.strictObject({ role: z.literal("assistant"), content: z.string() }),
    finish_reason: finishReason,
    usage: usage.nullable().meta({ description: "Null when the engine does not tell" }),
  })
  .meta({ id: "InferenceChatAnswer" });
export type ChatAnswer = z.infer<typeof chatAnswer>;

/**
 * Data of the frames of POST /inference/chat/stream, by the name of their event. Of `delta` any number; `usage` at most once;
 * then `done`, or a problem in a frame `problem`.
 */
export const chatFrames = {
  delta: z.strictObject({ text: z.string() }),
  usage,
  done: z.strictObject({ finish_reason: finishReason, load_id: z.string(), task_id: z.string().nullable() }),
} as const;
export const chatFrame = z
  .union([chatFrames.delta, chatFrames.usage, chatFrames.done])
  .meta({ id: "InferenceChatFrame" });
