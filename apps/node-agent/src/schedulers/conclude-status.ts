import { constants } from "node:os";
import type { ClusterStatus, PlacedJob } from "./scheduler.ts";
import { wasAskedToStop } from "./stop-request.ts";

const stopSignals: readonly number[] = [constants.signals.SIGTERM, constants.signals.SIGKILL];

/** What the cluster says, seen with what the node knows: a job that was asked to stop and then ended by a signal was stopped. */
export async function concludeStatus(job: PlacedJob, status: ClusterStatus): Promise<ClusterStatus> {
  if (status.state !== "failed" && status.state !== "stopped") return status;
  const isAsked = await wasAskedToStop(job.runFolder);
  const signal = signalOf(status);
  if (status.state === "stopped") return isAsked ? { ...status, reason: null } : status;
  if (!isAsked || signal === null || !stopSignals.includes(signal) || status.cause !== null)
    return withSignal(status, signal);
  const isKilled = signal === constants.signals.SIGKILL;
  const reason = isKilled
    ? "It was killed, because it did not end within its grace time after the request to stop."
    : null;
  return { ...withSignal(status, signal), state: "stopped", reason };
}

/** A shell tells the signal that ended its command as 128 and its number. */
function signalOf({ exitCode, signal }: ClusterStatus): number | null {
  if (signal !== null) return signal;
  return exitCode !== null && exitCode > 128 && exitCode <= 128 + 64 ? exitCode - 128 : null;
}

const withSignal = (status: ClusterStatus, signal: number | null): ClusterStatus => ({
  ...status,
  signal,
  exitCode: signal === null ? status.exitCode : null,
});
