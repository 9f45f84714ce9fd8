import * as z from "zod";
import { nodeHealthReasonNames } from "./node-health-reasons.ts";

/** From well to worst. */
export const nodeStates = ["ok", "degraded", "failing"] as const;
export type NodeState = (typeof nodeStates)[number];

const count = z.int().nonnegative();
const time = z.iso.datetime().meta({ description: "UTC, ISO 8601" });
const bytes = z.int().nonnegative().meta({ description: "Bytes" });
const megabytes = z.number().nonnegative().nullable().meta({ description: "MiB; null when unknown" });

const findingSchema = z
  .strictObject({
    reason: z.enum(nodeHealthReasonNames),
    state: z.enum(["degraded", "failing"]),
    sentence: z.string(),
    remedy: z.string(),
    detail: z.string().nullable().meta({ description: "What this case is about" }),
  })
  .meta({ id: "NodeHealthFinding" });
export type NodeHealthFinding = z.infer<typeof findingSchema>;

const engineSchema = z
  .strictObject({
    name: z.string(),
    kind: z.enum(["job", "inference"]),
    description: z.string(),
    supports: z.array(z.string()),
    available: z.boolean(),
    unavailable_reason: z.string().meta({ description: "Why not and what to do about it; empty when available" }),
    versions: z.record(z.string(), z.string()),
  })
  .meta({ id: "NodeEngine" });

const schedulerSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    available: z.boolean(),
    unavailable_reason: z.string().meta({ description: "Why not and what to do about it; empty when available" }),
  })
  .meta({ id: "NodeScheduler" });

const gpusSchema = z
  .strictObject({
    provider: z.string().meta({ description: "What the figures come from" }),
    is_simulated: z.boolean().meta({ description: "Whether the GPUs are none: figures for development and tests" }),
    driver: z.string().nullable(),
    cuda: z.string().nullable(),
    taken_at: time.nullable().meta({ description: "When the figures were taken; null: there are none yet" }),
    fault: z.string().nullable().meta({ description: "Why there are no figures, or old ones; null when all is well" }),
    note: z
      .string()
      .nullable()
      .meta({ description: "What is to know though nothing is wrong, such as why there are no GPUs" }),
    total: count,
    free: count,
    reserved: count,
    busy: count,
    foreign: count.meta({ description: "Used by processes that are not the node's" }),
    faulty: count,
    names: z.array(z.string()).meta({ description: "One for each GPU" }),
    memory_total_mb: megabytes,
    memory_used_mb: megabytes,
  })
  .meta({ id: "NodeGpus" });

const storageSchema = z
  .strictObject({
    latency_ms: z.number().nonnegative().meta({
      description: "Milliseconds to write a small file into the data folder, bring it to the disk, read and remove it",
    }),
    checked_at: time,
    total_bytes: bytes,
    free_bytes: bytes.meta({ description: "Bytes that the agent's user may still write" }),
    total_inodes: count.nullable().meta({ description: "Null where the file system has no fixed number" }),
    free_inodes: count.nullable(),
  })
  .meta({ id: "NodeStorage" });

/** Answer of GET /health. */
export const nodeHealthSchema = z
  .strictObject({
    state: z.enum(nodeStates).meta({ description: "That of the worst finding" }),
    findings: z.array(findingSchema),
    node: z.string().meta({ description: "Name of the machine" }),
    version: z.string(),
    platform: z.string().meta({ description: "Operating system and processor" }),
    node_version: z.string().meta({ description: "Version of Node that the agent runs on" }),
    started_at: time,
    uptime_seconds: z.number().nonnegative(),
    checked_at: time,
    cpus: count,
    memory_total_bytes: bytes,
    memory_available_bytes: bytes,
    storage: storageSchema.nullable().meta({ description: "Null: it could not be checked, and a finding says why" }),
    gpus: gpusSchema,
    engines: z.array(engineSchema),
    schedulers: z.array(schedulerSchema),
    jobs: z.strictObject({ queued: count, starting: count, running: count, stopping: count }),
    models: z.array(
      z.strictObject({
        load_id: z.string(),
        model: z.string(),
        engine: z.string().nullable(),
        state: z.enum(["starting", "ready", "error", "unloading"]),
      }),
    ),
    active_count: count.meta({
      description: "What occupies the node: jobs that have begun and not ended, and models in memory or on their way",
    }),
  })
  .meta({ id: "NodeHealth" });
export type NodeHealth = z.infer<typeof nodeHealthSchema>;
