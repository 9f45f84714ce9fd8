import type { ClusterStatus } from "../scheduler.ts";
import { jobScriptExit } from "../job-script.ts";
import { explainPending } from "./explain-pending.ts";
import type { SlurmJob } from "./read-slurm-job.ts";

type Told = Pick<ClusterStatus, "state" | "reason"> & Partial<ClusterStatus>;

const queued = (job: SlurmJob): Told => ({ state: "queued", reason: explainPending(job.reason, job.reasonDetail) });
const running = (reason: string | null): Told => ({ state: "running", reason });
const endedByCluster = (reason: string): Told => ({ state: "failed", reason, cause: "ended_by_cluster" });
const held = (): Told => ({ state: "queued", reason: "Slurm put it into the queue again and holds it." });

/** Every state of slurm.h. Those that qualify others (COMPLETING, STAGE_OUT, …) count only when they stand alone. */
const states: Readonly<Record<string, (job: SlurmJob) => Told>> = {
  PENDING: queued,
  REQUEUED: () => ({ state: "queued", reason: "Slurm put it into the queue again." }),
  REQUEUE_FED: () => ({ state: "queued", reason: "Slurm put it into the queue of another cluster." }),
  REQUEUE_HOLD: held,
  SPECIAL_EXIT: held,
  RESV_DEL_HOLD: () => ({ state: "queued", reason: "It is held, because its reservation was deleted." }),
  EXPEDITING: queued,
  CONFIGURING: () => ({ state: "starting", reason: "Its machines are being made ready." }),
  POWER_UP_NODE: () => ({ state: "starting", reason: "Its machines are being switched on." }),
  RUNNING: () => running(null),
  RESIZING: () => running("Slurm is changing its size."),
  SIGNALING: () => running("Slurm is sending it a signal."),
  SUSPENDED: () => running("It is suspended on the cluster and makes no steps."),
  STOPPED: () => running("Its processes are stopped on the cluster and make no steps."),
  COMPLETING: () => running("Its processes are ending."),
  STAGE_OUT: () => running("Its processes are ending."),
  UPDATE_DB: () => running("Its processes are ending."),
  COMPLETED: () => ({ state: "succeeded", reason: null }),
  FAILED: failed,
  LAUNCH_FAILED: () => ({ state: "failed", reason: "It could not be started on its machine.", cause: "node_lost" }),
  RECONFIG_FAIL: () => ({ state: "failed", reason: "Its machine could not be made ready.", cause: "node_lost" }),
  BOOT_FAIL: () => ({ state: "failed", reason: "Its machine could not be started.", cause: "node_lost" }),
  CANCELLED: () => ({ state: "stopped", reason: "It was cancelled on the cluster." }),
  TIMEOUT: () => endedByCluster("It reached its time limit on the cluster."),
  DEADLINE: () => endedByCluster("It reached its deadline on the cluster."),
  PREEMPTED: () => endedByCluster("It was displaced by a job with a higher priority."),
  OUT_OF_MEMORY: () => ({
    state: "failed",
    reason: "It used more memory than it asked the cluster for.",
    cause: "host_out_of_memory",
  }),
  NODE_FAIL: (job) => lost(`Slurm lost its machine${namesOf(job)}.`),
  REVOKED: () => lost("Another cluster of the federation took it over."),
};

/** Where a job stands, from what Slurm says of it. */
export function toClusterStatus(job: SlurmJob): ClusterStatus {
  const { nodes, gpus, exitCode, signal } = job;
  const told = judge(job);
  const isEnded = ["succeeded", "failed", "stopped"].includes(told.state);
  return {
    cause: null,
    nodes,
    gpus,
    exitCode: isEnded && job.states[0] !== "CANCELLED" && signal === null ? exitCode : null,
    signal: isEnded ? signal : null,
    ...told,
  };
}

const beganAgain = "Slurm lost its machine, or was told to begin it again, and a run is not begun twice.";

function judge(job: SlurmJob): Told {
  // Version 22.05 puts jobs of lost machines into the queue again, whatever is asked for; their script then does nothing.
  if (job.restarts > 0) return lost(beganAgain);
  const [state = "", ...others] = job.states;
  const isEnding = others.some((word) => ["COMPLETING", "STAGE_OUT"].includes(word));
  if (isEnding && state !== "NODE_FAIL") return running("Its processes are ending.");
  return (
    states[state]?.(job) ?? {
      state: "unknown",
      reason: `Slurm says that it is ${state === "" ? "in no state" : state}, which this version of Attune does not know.`,
    }
  );
}

function failed(job: SlurmJob): Told {
  if (job.exitCode === jobScriptExit.noRunFolder) {
    const reason =
      "Its machine does not have the run's folder: the node's runs must be on storage that the cluster shares.";
    return { state: "failed", reason, cause: "file_not_found" };
  }
  if (job.exitCode === jobScriptExit.restarted) return lost(beganAgain);
  if (job.signal !== null) return { state: "failed", reason: `Its processes were ended by signal ${job.signal}.` };
  const isOwnFault = job.reason === "" || job.reason === "NonZeroExitCode";
  const why = isOwnFault ? "" : ` Slurm: ${[job.reason, job.reasonDetail].filter(Boolean).join(", ")}.`;
  return { state: "failed", reason: `It ended with status ${job.exitCode ?? "unknown"}.${why}` };
}

const lost = (reason: string): Told => ({ state: "lost", reason, cause: "node_lost" });

const namesOf = ({ nodes }: SlurmJob): string => (nodes.length === 0 ? "" : ` ${nodes.slice(0, 8).join(", ")}`);
