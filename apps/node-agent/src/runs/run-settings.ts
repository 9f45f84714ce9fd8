import { measureMemory } from "../process/measure-memory.ts";
import { integerSetting } from "@attune/service-kit/load-config.ts";

export interface RunSettings {
  /** Runs without a GPU that are under way at once; the GPUs bound those with one. */
  readonly cpuRunsAtOnce: number;
  /** How long others may pass a run that waits for more GPUs than are free. */
  readonly patienceMs: number;
  /** Between SIGTERM to all processes of a run and SIGKILL. */
  readonly killAfterMs: number;
  /** How long a run that was stopped before it said anything may take to end by itself. */
  readonly earlyGraceMs: number;
  /** How long the processes of a run may live on after its last word. */
  readonly lingerMs: number;
  /** After so long without an event a run is called stale. */
  readonly staleMs: number;
  /** Whether the system tells how much memory processes hold. */
  readonly canLimitMemory: boolean;
  /** Folders that specifications may name files of; none: any. */
  readonly allowedFolders: readonly string[];
  /** What the events of a run may take on the disk, in bytes, before some are left out. */
  readonly maxEventsBytes: number;
  /** What a run asks a cluster for: CPUs for each of its GPUs, or at all without one, and memory; undefined: what it gives. */
  readonly clusterCpus: number;
  readonly clusterMemoryMb: number | undefined;
}

export const runSettings = {
  NODE_AGENT_CPU_RUNS_AT_ONCE: integerSetting(
    { min: 1, max: 64, fallback: 2 },
    "Jobs without a GPU that run at once; others wait",
  ),
  NODE_AGENT_QUEUE_PATIENCE_SECONDS: integerSetting(
    { min: 0, max: 86_400, fallback: 600 },
    "How long smaller jobs may pass one that waits for more GPUs than are free; then they wait behind it",
  ),
  NODE_AGENT_EVENTS_MAX_MIB: integerSetting(
    { min: 1, max: 65_536, fallback: 256 },
    "MiB of events of a job that the disk keeps; of more, those of log, heartbeat and progress in the middle are left out",
  ),
  NODE_AGENT_CLUSTER_CPUS: integerSetting(
    { min: 1, max: 1024, fallback: 4 },
    "CPUs that a job on a cluster asks for with each of its GPUs, or at all without one",
  ),
  NODE_AGENT_CLUSTER_MEMORY_MB: integerSetting(
    { min: 0, max: 16_777_216, fallback: 0 },
    "Memory that a job on a cluster asks for unless it has a limit of its own; 0: what the cluster gives",
  ),
};

export const toRunSettings = (values: {
  readonly NODE_AGENT_CPU_RUNS_AT_ONCE: number;
  readonly NODE_AGENT_QUEUE_PATIENCE_SECONDS: number;
  readonly NODE_AGENT_EVENTS_MAX_MIB: number;
  readonly NODE_AGENT_CLUSTER_CPUS: number;
  readonly NODE_AGENT_CLUSTER_MEMORY_MB: number;
}): RunSettings => ({
  ...defaultRunSettings,
  cpuRunsAtOnce: values.NODE_AGENT_CPU_RUNS_AT_ONCE,
  patienceMs: values.NODE_AGENT_QUEUE_PATIENCE_SECONDS * 1000,
  maxEventsBytes: values.NODE_AGENT_EVENTS_MAX_MIB * 2 ** 20,
  clusterCpus: values.NODE_AGENT_CLUSTER_CPUS,
  clusterMemoryMb: values.NODE_AGENT_CLUSTER_MEMORY_MB || undefined,
});

export const defaultRunSettings: RunSettings = {
  cpuRunsAtOnce: 2,
  patienceMs: 600_000,
  killAfterMs: 10_000,
  earlyGraceMs: 10_000,
  lingerMs: 60_000,
  staleMs: 30_000,
  canLimitMemory: measureMemory(process.pid) > 0,
  allowedFolders: [],
  maxEventsBytes: 256 * 2 ** 20,
  clusterCpus: 4,
  clusterMemoryMb: undefined,
};
