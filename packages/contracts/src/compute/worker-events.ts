import * as z from "zod";

/** The version of the envelope; a worker that says another major one is not listened to. */
export const workerProtocol = 1;

/** The longest line that a worker may write, in bytes; a longer one is kept as a log line and counted. */
export const maxEventBytes = 32 * 1024;

/** What a process that trains, evaluates or exports is doing, in the order in which it can. */
export const runPhases = ["dataset", "tokenize", "model", "train", "eval", "save", "merge", "convert"] as const;
export type RunPhase = (typeof runPhases)[number];

/** Status of the exit of a worker process. 113: the process it belonged to was gone. */
export const workerExit = {
  done: 0,
  badSpec: 2,
  badDataset: 3,
  modelLoad: 4,
  outOfMemory: 5,
  diskFull: 6,
  environment: 7,
  nonFinite: 8,
  parentGone: 113,
} as const;

const envelope = {
  v: z.literal(workerProtocol),
  /** From 1, one more with each line of one process; events are told apart by it. A resumed run begins again at 1. */
  seq: z.int().positive(),
  /** Seconds since 1970, UTC. */
  ts: z.number(),
  rank: z.int().nonnegative().max(65_535).default(0),
};
const count = z.int().nonnegative();
const phase = z.enum(runPhases);
/** A measured number; null where it was not finite, and then `nonfinite` names it. */
const figure = z.number().nullable();

const event = <const TType extends string, TShape extends z.ZodRawShape>(type: TType, shape: TShape) =>
  z.looseObject({ ...envelope, type: z.literal(type), ...shape });

/**
 * One line of a run's `events.ndjson`. Unknown fields are kept; a line of an unknown type, or that is none of these, is kept
 * as a log line of level `protocol` and never ends a run.
 */
export const workerEvent = z.discriminatedUnion("type", [
  event("hello", {
    pid: z.int().positive(),
    protocol: z.int(),
    python: z.string().optional(),
    versions: z.record(z.string(), z.string()).default({}),
    world_size: z.int().positive().default(1),
  }),
  event("phase", { name: phase, state: z.enum(["start", "end"]), seconds: z.number().optional() }),
  event("progress", {
    phase: phase,
    current: z.number(),
    total: z.number().nullable(),
    unit: z.enum(["files", "bytes", "examples", "tensors", "steps", "tokens"]),
    message: z.string().optional(),
  }),
  event("dataset", {
    format: z.string(),
    records_raw: count,
    records_valid: count,
    /** Records left out, by reason. */
    dropped: z.record(z.string(), count),
    /** Examples cut at the maximum length. */
    truncated: count,
    /** Examples none of whose tokens is learned from. */
    fully_masked: count,
    train: count,
    eval: count,
    tokens: count.nullable(),
  }),
  event("metrics", {
    split: z.enum(["train", "eval"]),
    step: count,
    total: count.nullable(),
    epoch: z.number().nullable(),
    metrics: z.record(z.string(), figure),
    nonfinite: z.array(z.string()).default([]),
    step_ms: z.number().nullable().optional(),
    tokens_per_s: z.number().nullable().optional(),
    eta_s: z.number().nullable().optional(),
    gpu_mem_peak_bytes: z.number().nullable().optional(),
  }),
  event("log", { level: z.string(), message: z.string(), logger: z.string().optional() }),
  event("checkpoint", {
    path: z.string(),
    step: count,
    bytes: count,
    reason: z.enum(["interval", "cancel", "final"]),
    complete: z.boolean(),
  }),
  event("artifact", { path: z.string(), size_bytes: count, checksum_sha256: z.string().length(64), role: z.string() }),
  event("result", { metrics: z.record(z.string(), figure), path: z.string().optional() }),
  event("heartbeat", { step: count.nullable(), rss_bytes: count.nullable(), in_phase_s: z.number().nullable() }),
  event("error", {
    /** A cause of `runCauses`. */
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    traceback_tail: z.string().optional(),
    retryable: z.boolean().default(false),
  }),
  event("done", {
    status: z.enum(["succeeded", "cancelled", "failed"]),
    step: count.nullable().optional(),
    seconds: z.number().optional(),
    best_metric: figure.optional(),
  }),
]);

export type WorkerEvent = z.infer<typeof workerEvent>;
export type WorkerEventOf<TType extends WorkerEvent["type"]> = Extract<WorkerEvent, { type: TType }>;
