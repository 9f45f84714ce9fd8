import * as z from "zod";
import { runSpec } from "./run-spec.ts";

/**
 * Life of a run: queued (waits for GPUs) → starting (its process is being started) → running (it said hello) → stopping (it
 * was asked to end) → succeeded, failed, stopped or lost (nothing says how it ended, or its machine is gone).
 */
export const runStates = [
  "queued",
  "starting",
  "running",
  "stopping",
  "succeeded",
  "failed",
  "stopped",
  "lost",
] as const;
export type RunState = (typeof runStates)[number];
export const endedStates = ["succeeded", "failed", "stopped", "lost"] as const satisfies readonly RunState[];
export const isEnded = (state: RunState): boolean => (endedStates as readonly RunState[]).includes(state);

export const schedulerNames = ["local", "slurm", "ray"] as const;
export type SchedulerName = (typeof schedulerNames)[number];

/** How GPUs are asked for; the three ways that callers have for it are normalised to `GpuRequest`. */
export const gpuRequestFields = {
  gpu_indices: z
    .union([z.array(z.union([z.int(), z.string()])), z.string()])
    .nullable()
    .optional(),
  gpus: z
    .union([
      z.number(),
      z.string(),
      z.array(z.union([z.int(), z.string()])),
      z.strictObject({ count: z.int(), min_memory_mb: z.int().optional(), name: z.string().optional() }),
    ])
    .nullable()
    .optional(),
  gpu_id: z.union([z.number(), z.string()]).nullable().optional(),
};

export type GpuRequest =
  | { readonly mode: "cpu" }
  | { readonly mode: "explicit"; readonly indices: readonly number[] }
  | { readonly mode: "count"; readonly count: number; readonly minMemoryMb?: number; readonly name?: string };

/** Body of POST /compute/jobs. */
export const jobRequest = z
  .strictObject({
    job_id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)
      .optional()
      .meta({ description: "The caller's id; the same one with the same request again gives the same job" }),
    engine: z.enum(["trainer", "llamafactory"]).default("trainer"),
    scheduler: z.enum(schedulerNames).default("local"),
    spec: runSpec,
    ...gpuRequestFields,
    priority: z.int().min(-100).max(100).default(0),
    grace_seconds: z.int().min(0).max(3600).default(120).meta({
      description: "Time to save a checkpoint after a stop, before the processes are ended",
    }),
    stall_timeout_seconds: z.int().positive().max(604_800).optional().meta({
      description: "A run that makes no step for so long is ended as stalled; unset: never",
    }),
    memory_limit_mb: z.int().positive().max(67_108_864).optional().meta({
      description:
        "MiB of memory and swap that its processes may hold together; beyond it they are ended. A cluster is asked for so much",
    }),
  })
  .meta({ id: "ComputeJobRequest" });
export type JobRequest = z.infer<typeof jobRequest>;

export const stopRequest = z
  .strictObject({
    grace_seconds: z.int().min(0).max(3600).optional().meta({
      description:
        "Less time to save than the job was given, counted from the first stop; more has no effect. 0: SIGTERM to all its processes now, and SIGKILL soon",
    }),
  })
  .meta({ id: "ComputeStopRequest" });
export type StopRequest = z.infer<typeof stopRequest>;

const time = z.iso.datetime();

export const failureSchema = z
  .strictObject({
    cause: z.string().meta({ description: "One of the documented causes of failure" }),
    message: z.string().meta({ description: "What happened in this case" }),
    hint: z.string().meta({ description: "What can be done about it" }),
    retryable: z.boolean(),
    exit_code: z.int().nullable(),
    signal: z.string().nullable(),
  })
  .meta({ id: "RunFailure" });
export type RunFailure = z.infer<typeof failureSchema>;

/** Answer of GET /compute/jobs/{id}. */
export const jobView = z
  .strictObject({
    job_id: z.string(),
    kind: z.enum(["train", "eval", "export"]),
    engine: z.string(),
    scheduler: z.enum(schedulerNames),
    state: z.enum(runStates),
    /** Why it is in this state, where that is not plain: what it waits for, why it failed. */
    reason: z.string().nullable(),
    failure: failureSchema.nullable(),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    phase: z.string().nullable(),
    step: z.int().nullable(),
    total_steps: z.int().nullable(),
    eta_seconds: z.number().nullable(),
    metrics: z.record(z.string(), z.number().nullable()).meta({ description: "The latest of each" }),
    progress_at: time.nullable().meta({
      description:
        "When it last told of a step, a phase, a checkpoint or other progress, by its machine's clock; null before. A job that is not stale lives, and may hang all the same",
    }),
    /** Whether neither an event nor a heartbeat came for 30 seconds. */
    is_stale: z.boolean(),
    gpus: z.array(z.int()),
    pid: z.int().nullable(),
    /** The last 200 lines of the log of a run that failed, was stopped or was lost; empty else. */
    log_tail: z.array(z.string()).max(200),
    /** Events that could not be read, kept in its log. */
    unreadable_events: z.int().nonnegative(),
    left_out_events: z.int().nonnegative().meta({
      description: "Events of log, heartbeat and progress, seldom others, that were left out because it wrote too many",
    }),
    checkpoints: z.array(z.strictObject({ path: z.string(), step: z.int(), bytes: z.int(), complete: z.boolean() })),
    artifact_dir: z.string().nullable(),
  })
  .meta({ id: "ComputeJob" });
export type JobView = z.infer<typeof jobView>;

/** A job in a list: without what makes it long. */
export const jobSummary = jobView
  .omit({ log_tail: true, checkpoints: true, artifact_dir: true })
  .meta({ id: "ComputeJobSummary" });
export type JobSummary = z.infer<typeof jobSummary>;

/** Answer of GET /compute/jobs, the newest first. */
export const jobPage = z
  .strictObject({
    jobs: z.array(jobSummary),
    next_after: z.string().nullable().meta({ description: "Give it as `after` for the next page; null on the last" }),
  })
  .meta({ id: "ComputeJobPage" });
export type JobPage = z.infer<typeof jobPage>;

export const artifactView = z
  .strictObject({
    path: z.string(),
    size_bytes: z.int().nonnegative(),
    checksum_sha256: z.string().length(64),
    role: z.string(),
  })
  .meta({ id: "ComputeArtifact" });
export type ArtifactView = z.infer<typeof artifactView>;
