import type { ClusterStatus } from "../scheduler.ts";
import { jobScriptExit } from "../job-script.ts";

/** What Ray tells of a job; every field may be missing. */
export interface RayJob {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly error_type?: unknown;
  readonly driver_exit_code?: unknown;
  readonly driver_node_id?: unknown;
}

/** Where a job stands, from what Ray says of it. */
export function toRayStatus(job: RayJob): ClusterStatus {
  const exitCode = typeof job.driver_exit_code === "number" ? job.driver_exit_code : null;
  // Python tells the signal that ended a process as a negative status.
  const signal = exitCode !== null && exitCode < 0 ? -exitCode : null;
  return {
    cause: null,
    nodes: typeof job.driver_node_id === "string" && job.driver_node_id !== "" ? [job.driver_node_id] : [],
    gpus: [],
    exitCode: signal === null ? exitCode : null,
    signal,
    ...judge(job, exitCode),
  };
}

type Told = Pick<ClusterStatus, "state" | "reason"> & Partial<ClusterStatus>;

function judge(job: RayJob, exitCode: number | null): Told {
  switch (job.status) {
    case "PENDING":
      return { state: "queued", reason: waiting(messageOf(job)) };
    case "RUNNING":
      return { state: "running", reason: null };
    case "SUCCEEDED":
      return { state: "succeeded", reason: null };
    case "STOPPED":
      return { state: "stopped", reason: "It was stopped on the cluster." };
    case "FAILED":
      return failed(job, exitCode);
    default:
      return {
        state: "unknown",
        reason: `Ray says that it is ${String(job.status)}, which this version of Attune does not know.`,
      };
  }
}

function waiting(message: string): string {
  if (/resources/i.test(message)) return "It waits until a machine with what it asks for is free.";
  return message === "" ? "It waits to be scheduled." : `It waits. Ray: ${message}`;
}

function failed(job: RayJob, exitCode: number | null): Told {
  const message = messageOf(job);
  if (exitCode === jobScriptExit.noRunFolder || (exitCode === 127 && /No such file/.test(message))) {
    const reason =
      "Its machine does not have the run's folder: the node's runs must be on storage that the cluster shares.";
    return { state: "failed", reason, cause: "file_not_found" };
  }
  if (exitCode !== null) return { state: "failed", reason: `It ended with status ${exitCode}.` };
  // Without a status the process did not end by itself: its supervisor, its machine or its start failed.
  if (isOfSupervisor(message)) return { state: "lost", reason: `Ray lost its machine: ${message}`, cause: "node_lost" };
  return { state: "failed", reason: `Ray could not run it: ${message || "it does not say why."}` };
}

const isOfSupervisor = (message: string): boolean =>
  /node.*(?:died|dead|lost|removed)|supervisor actor (?:died|could not)|ActorDiedError|ActorUnavailable|worker.*(?:died|crash)/i.test(
    message,
  );

const messageOf = ({ message }: RayJob): string =>
  typeof message === "string" ? message.trim().split("\n").slice(0, 3).join(" ").slice(0, 500) : "";
