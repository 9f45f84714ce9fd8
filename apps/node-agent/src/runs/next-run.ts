import { isEnded } from "@attune/contracts/compute/run-record.ts";
import { runCauses } from "@attune/contracts/compute/run-causes.ts";
import type { WorkerEvent } from "@attune/contracts/compute/worker-events.ts";
import type { BootMoment } from "../process/boot-moment.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { hearEvent } from "./hear-event.ts";
import { judgeEnding, type RunEnding } from "./judge-ending.ts";
import type { MappedCause } from "./map-cause.ts";
import type { StoredRun } from "./stored-run.ts";

/** Something that became known of a run. */
export type RunFact =
  /** It cannot start yet, and why. */
  | { readonly type: "waits"; readonly reason: string }
  /** It has what it needs; its process is about to be started. */
  | { readonly type: "starts"; readonly gpus: readonly number[]; readonly at: string }
  /** It turned out that no process was ever started. */
  | { readonly type: "not_started" }
  | { readonly type: "has_leader"; readonly leader: ProcessIdentity }
  | { readonly type: "has_reference"; readonly reference: string }
  | {
      readonly type: "said";
      readonly event: WorkerEvent;
      readonly endOffset: number;
      /** Who said hello, where that can be seen from here. */
      readonly speaker?: ProcessIdentity | undefined;
    }
  | { readonly type: "said_unreadable"; readonly endOffset: number }
  /** How many of its events were left out so far, because there were too many. */
  | { readonly type: "left_out"; readonly count: number }
  | { readonly type: "stop_asked"; readonly at: string; readonly graceSeconds: number | undefined }
  /** Its worker is asked to end, from when on its grace time counts. */
  | { readonly type: "asked_to_end"; readonly moment: BootMoment }
  /** The agent ends it for a reason of its own. */
  | { readonly type: "aborted"; readonly cause: MappedCause }
  /** Something holds up its end or is otherwise worth knowing. */
  | { readonly type: "noted"; readonly reason: string | null }
  /** No process of it is left. */
  | { readonly type: "gone"; readonly ending: RunEnding; readonly at: string };

/**
 * The run when a fact has become known. A run that has ended never changes; nothing leads from a later state to an earlier
 * one, but for a start that never was one.
 */
export function nextRun(run: StoredRun, fact: RunFact): StoredRun {
  if (isEnded(run.state)) return run;
  const step = steps[fact.type] as (run: StoredRun, fact: RunFact) => StoredRun;
  return step(run, fact);
}

const steps: { readonly [T in RunFact["type"]]: (run: StoredRun, fact: Extract<RunFact, { type: T }>) => StoredRun } = {
  waits: (run, { reason }) => (run.state === "queued" ? { ...run, reason } : run),
  starts: (run, { gpus, at }) =>
    run.state === "queued"
      ? { ...run, state: "starting", reason: null, gpus: [...gpus], startedAt: at, isSent: run.scheduler !== "local" }
      : run,
  not_started: returnToQueue,
  has_leader: (run, { leader }) => ({ ...run, leader }),
  has_reference: (run, { reference }) => ({ ...run, reference }),
  said: hear,
  said_unreadable: (run, { endOffset }) => ({
    ...run,
    heard: { ...run.heard, offset: endOffset, unreadable: run.heard.unreadable + 1 },
  }),
  left_out: (run, { count }) =>
    count === run.heard.leftOut ? run : { ...run, heard: { ...run.heard, leftOut: count } },
  stop_asked: askToStop,
  asked_to_end: (run, { moment }) => (run.askedToEnd === null ? { ...run, askedToEnd: { ...moment } } : run),
  aborted: (run, { cause }) => abort(run, cause),
  noted: (run, { reason }) => ({ ...run, reason }),
  gone: (run, { ending, at }) => ({ ...run, ...judgeEnding(run, ending), endedAt: at }),
};

function returnToQueue(run: StoredRun): StoredRun {
  if (run.state !== "starting" || run.leader !== null || run.reference !== null) return run;
  return { ...run, state: "queued", startedAt: null, gpus: [] };
}

function hear(run: StoredRun, { event, endOffset, speaker }: Extract<RunFact, { type: "said" }>): StoredRun {
  const isAfterStop = run.isStopAsked || run.abort !== null;
  const heard = hearEvent(run.heard, event, { isAfterStop, endOffset });
  if (event.type !== "hello") return { ...run, heard };
  const isFirst = event.rank === 0;
  const known = isFirst && speaker !== undefined ? { ...heard, worker: speaker } : heard;
  return run.state === "starting" ? { ...run, state: "running", reason: null, heard: known } : { ...run, heard: known };
}

/** Asked again, it can only have less time: a request that is sent twice costs it nothing. */
function askToStop(run: StoredRun, { at, graceSeconds: asked }: Extract<RunFact, { type: "stop_asked" }>): StoredRun {
  const graceSeconds = Math.min(run.graceSeconds, asked ?? run.graceSeconds);
  if (run.state !== "queued" || run.isSent) return { ...run, state: "stopping", isStopAsked: true, graceSeconds };
  const reason = "It was stopped before it began.";
  return { ...run, state: "stopped", isStopAsked: true, reason, endedAt: at };
}

/** The first reason stays. What the worker said before stands above it. */
function abort(run: StoredRun, cause: MappedCause): StoredRun {
  if (run.abort !== null || run.isStopAsked || run.heard.error !== null) return run;
  if (run.state === "queued") return run;
  return { ...run, state: "stopping", abort: { ...cause }, reason: runCauses[cause.cause].sentence };
}
