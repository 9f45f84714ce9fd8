import { failureSchema, runStates, schedulerNames } from "@attune/contracts/compute/run-record.ts";
import { runPhases } from "@attune/contracts/compute/worker-events.ts";
import * as z from "zod";

const identity = z.object({ pid: z.int().positive(), mark: z.string(), bootId: z.string() });
const gpuRequest = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("cpu") }),
  z.object({ mode: z.literal("explicit"), indices: z.array(z.int()) }),
  z.object({
    mode: z.literal("count"),
    count: z.int(),
    minMemoryMb: z.int().exactOptional(),
    name: z.string().exactOptional(),
  }),
]);

/** What a run said of itself, folded from its events up to `offset`; reading them again gives the same. */
const heard = z.object({
  /** Where the next line of events.ndjson begins, in bytes. */
  offset: z.int().nonnegative(),
  /** The last number of each rank, by which an event that comes twice is told. */
  lastSeqs: z.record(z.string(), z.int()),
  phase: z.enum(runPhases).nullable(),
  step: z.int().nullable(),
  /** When it last told of progress, by the clock of its machine. */
  progressAt: z.iso.datetime().nullable().default(null),
  totalSteps: z.int().nullable(),
  etaSeconds: z.number().nullable(),
  metrics: z.record(z.string(), z.number().nullable()),
  checkpoints: z.array(z.object({ path: z.string(), step: z.int(), bytes: z.int(), complete: z.boolean() })),
  artifacts: z.array(
    z.object({ path: z.string(), size_bytes: z.int(), checksum_sha256: z.string(), role: z.string() }),
  ),
  unreadable: z.int().nonnegative(),
  /** Events that are no longer in its file, because it wrote too many. */
  leftOut: z.int().nonnegative().default(0),
  worker: identity.nullable(),
  /** The first error; what follows from it is not its cause. */
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      hint: z.string().nullable(),
      retryable: z.boolean(),
      /** Whether it came after the run was asked to end. */
      isAfterStop: z.boolean(),
    })
    .nullable(),
  done: z.enum(["succeeded", "cancelled", "failed"]).nullable(),
});
export type HeardEvents = z.infer<typeof heard>;

/** `run.json`: all that the agent knows of a run. What was asked for stands in spec.json and never changes. */
export const storedRun = z.object({
  version: z.literal(1),
  jobId: z.string(),
  /** Marks the processes of the run; another one for every run of every agent. */
  runId: z.string(),
  kind: z.enum(["train", "eval", "export"]),
  engine: z.string(),
  scheduler: z.enum(schedulerNames),
  requestSha256: z.string(),
  specSha256: z.string(),
  priority: z.int(),
  graceSeconds: z.int(),
  stallTimeoutSeconds: z.int().nullable(),
  memoryLimitMb: z.int().nullable(),
  gpuRequest,
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(runStates),
  reason: z.string().nullable(),
  failure: failureSchema.nullable(),
  isStopAsked: z.boolean(),
  /** When its worker was first asked to end: seconds since the machine was started, which no clock changes. */
  askedToEnd: z.object({ bootId: z.string(), uptimeSeconds: z.number() }).nullable().default(null),
  /** Why the agent itself ends the run. */
  abort: z.object({ cause: z.string(), message: z.string() }).nullable(),
  gpus: z.array(z.int()),
  /** Leads the group of the run's processes; null before there are any, and on a cluster. */
  leader: identity.nullable(),
  /** What a cluster calls the run. */
  reference: z.string().nullable(),
  /** Whether it was ever sent to its cluster, which may have it though no answer came. */
  isSent: z.boolean().default(false),
  heard,
});
export type StoredRun = z.infer<typeof storedRun>;

export const nothingHeard: HeardEvents = {
  offset: 0,
  lastSeqs: {},
  phase: null,
  step: null,
  progressAt: null,
  totalSteps: null,
  etaSeconds: null,
  metrics: {},
  checkpoints: [],
  artifacts: [],
  unreadable: 0,
  leftOut: 0,
  worker: null,
  error: null,
  done: null,
};
