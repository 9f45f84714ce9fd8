import { isRunCause, type RunCauseName, runCauses } from "@attune/contracts/compute/run-causes.ts";
import type { RunFailure, RunState } from "@attune/contracts/compute/run-record.ts";
import type { ExitRecord } from "../process/exit-record.ts";
import { cleanLogLine } from "../process/read-log-tail.ts";
import { describeExit, excessCause, mapCause, type MappedCause } from "./map-cause.ts";
import type { StoredRun } from "./stored-run.ts";

/** What is known when no process of a run is left. */
export interface RunEnding {
  /** Undefined when nothing wrote down how the process ended. */
  readonly exit: ExitRecord | undefined;
  /** Whether the machine was started anew since. */
  readonly isRebooted: boolean;
  /** Why it ended, where a cluster knows; null for runs of this machine. */
  readonly hostCause: MappedCause | null;
  /** Whether a cluster has lost it. */
  readonly isLost: boolean;
  readonly log: readonly string[];
  /** Whether the disk of the run has no room left, so that it may not have been able to say what happened. */
  readonly isDiskFull: boolean;
  /** What is wrong with the results of a run that says that it succeeded. */
  readonly problem: MappedCause | null;
  /** Whether a stop broke off what makes its results whole, after the worker was done. */
  readonly isBrokenOff: boolean;
}

export interface Verdict {
  readonly state: Extract<RunState, "succeeded" | "failed" | "stopped" | "lost">;
  readonly reason: string | null;
  readonly failure: RunFailure | null;
}

type Judged = Pick<StoredRun, "heard" | "abort" | "isStopAsked">;

/**
 * How a run ended. Its own words come first (done, then error), then what the agent did to it, then how its process ended;
 * where nothing of it is known, it is lost. A run that contradicts itself has not succeeded.
 */
export function judgeEnding(run: Judged, ending: RunEnding): Verdict {
  const { heard, abort, isStopAsked } = run;
  const { error, done } = heard;
  if (done === "succeeded" && error === null) return judgeSuccess(ending);
  if (abort !== null) return failed(causeOf(abort.cause), { message: abort.message, ending });
  if (error !== null && !(isStopAsked && error.isAfterStop)) return failedByWord(error, ending);
  if (isStopAsked || done === "cancelled") return judgeStop(run, ending);
  return judgeExit(ending);
}

function judgeSuccess(ending: RunEnding): Verdict {
  const { problem, exit, isBrokenOff } = ending;
  if (isBrokenOff) return { state: "stopped", reason: scoringStopped, failure: null };
  if (problem !== null) return failed(problem.cause, { message: problem.message, ending });
  const isClean = exit === undefined || exit.code === 0;
  const reason = isClean ? null : `It was done; after that: ${describeExit(exit)}`;
  return { state: "succeeded", reason, failure: null };
}

const scoringStopped = "It was stopped before its answers were scored; all of them are in its output, without scores.";

function failedByWord(error: NonNullable<StoredRun["heard"]["error"]>, ending: RunEnding): Verdict {
  const isKnown = isRunCause(error.code);
  const message = isKnown ? error.message : `${error.code}: ${error.message}`;
  const hint = error.hint ?? undefined;
  return failed(causeOf(error.code), {
    message,
    ending,
    ...(hint !== undefined && { hint }),
    isRetryable: error.retryable,
  });
}

function judgeStop({ heard, isStopAsked }: Judged, ending: RunEnding): Verdict {
  const excess = ending.exit?.memory_excess ?? null;
  const exceeded = excess === null ? null : failed("host_out_of_memory", { ...excessCause(excess), ending }).failure;
  const failure = heard.error === null ? exceeded : failedByWord(heard.error, ending).failure;
  if (heard.done === "cancelled") {
    const reason = isStopAsked ? null : "It was ended by a signal that did not come from the node.";
    return { state: "stopped", reason, failure };
  }
  const latest = heard.checkpoints.findLast(({ complete }) => complete);
  const saved = latest === undefined ? "it has no checkpoint" : `its last checkpoint is that of step ${latest.step}`;
  return { state: "stopped", reason: `Its processes were ended before it saved what it had; ${saved}.`, failure };
}

function judgeExit(ending: RunEnding): Verdict {
  const { exit, isRebooted, hostCause, isLost, log } = ending;
  if (hostCause !== null) {
    const verdict = failed(hostCause.cause, { message: hostCause.message, ending });
    return isLost ? { ...verdict, state: "lost" } : verdict;
  }
  if (exit !== undefined) {
    const { cause, message } = mapCause(exit, log);
    const isUnexplained = cause === "engine_failed" || cause === "engine_crashed";
    return failed(isUnexplained && ending.isDiskFull ? "disk_full" : cause, { message, ending });
  }
  const message = isRebooted
    ? "The machine was started anew while the run ran."
    : "Its processes are gone, the launcher among them, and none of them said why.";
  return { ...failed("vanished", { message, ending }), state: "lost" };
}

const causeOf = (name: string): RunCauseName => (isRunCause(name) ? name : "engine_failed");

interface FailureFacts {
  readonly message: string;
  readonly ending: Pick<RunEnding, "exit">;
  readonly hint?: string;
  readonly isRetryable?: boolean;
}

const maxMessage = 2000;

function failed(cause: RunCauseName, { message, ending, hint, isRetryable = false }: FailureFacts): Verdict {
  const { sentence, hint: usualHint, retryable } = runCauses[cause];
  const failure = {
    cause,
    message: cleanLogLine(message.replaceAll(/\s+/g, " ")).slice(0, maxMessage),
    hint: hint === undefined ? usualHint : cleanLogLine(hint).slice(0, maxMessage),
    retryable: retryable || isRetryable,
    exit_code: ending.exit?.code ?? null,
    signal: ending.exit?.signal ?? null,
  };
  return { state: "failed", reason: sentence, failure };
}
