import type { WorkerEvent, WorkerEventOf } from "@attune/contracts/compute/worker-events.ts";
import type { HeardEvents } from "./stored-run.ts";

/** The newest ones; a run that makes more of them has the older ones in its events. */
const maxCheckpoints = 200;
const maxMetrics = 500;
/** Of more files a run cannot tell; those count as events that could not be read. */
const maxArtifacts = 10_000;

export interface Hearing {
  /** Whether the run had been asked to end, or was being ended, before the event came. */
  readonly isAfterStop: boolean;
  /** Where the line of the event ends. */
  readonly endOffset: number;
}

/** What is known after one more event. One that came already, by its rank and number, changes nothing but the offset. */
export function hearEvent(heard: HeardEvents, event: WorkerEvent, { isAfterStop, endOffset }: Hearing): HeardEvents {
  const rank = String(event.rank);
  const passed = { ...heard, offset: endOffset };
  const isAgain = event.type !== "hello" && event.seq <= (heard.lastSeqs[rank] ?? 0);
  if (isAgain) return passed;
  const numbered = { ...passed, lastSeqs: { ...heard.lastSeqs, [rank]: event.seq } };
  const progressAt = isProgress(event) ? timeOf(event) : heard.progressAt;
  return { ...numbered, progressAt, ...changeOf(numbered, event, isAfterStop) };
}

/** Lines that say that the worker lives, and no more. */
const signsOfLife: ReadonlySet<WorkerEvent["type"]> = new Set(["heartbeat", "log"]);

export const isProgress = ({ type }: WorkerEvent): boolean => !signsOfLife.has(type);

/** The last second that a four-digit year has. */
const lastSecond = 253_402_300_799;

const timeOf = ({ ts }: WorkerEvent): string => new Date(Math.min(Math.max(ts, 0), lastSecond) * 1000).toISOString();

function changeOf(heard: HeardEvents, event: WorkerEvent, isAfterStop: boolean): Partial<HeardEvents> {
  switch (event.type) {
    case "phase":
      return event.state === "start" ? { phase: event.name } : {};
    case "progress":
      return { phase: event.phase };
    case "metrics":
      return metricsOf(heard, event);
    case "checkpoint":
      return { checkpoints: [...heard.checkpoints, toCheckpoint(event)].slice(-maxCheckpoints) };
    case "artifact":
      return artifactsOf(heard, event);
    case "result":
      return { metrics: merge(heard.metrics, event.metrics) };
    case "error":
      return heard.error === null ? { error: toError(event, isAfterStop) } : {};
    case "done":
      return { done: event.status, etaSeconds: null, ...(typeof event.step === "number" && { step: event.step }) };
    default:
      return {};
  }
}

function artifactsOf(heard: HeardEvents, event: WorkerEventOf<"artifact">): Partial<HeardEvents> {
  const others = heard.artifacts.filter(({ path }) => path !== event.path);
  if (others.length >= maxArtifacts) return { unreadable: heard.unreadable + 1 };
  return { artifacts: [...others, toArtifact(event)] };
}

function metricsOf(heard: HeardEvents, event: WorkerEventOf<"metrics">): Partial<HeardEvents> {
  return {
    step: event.step,
    totalSteps: event.total ?? heard.totalSteps,
    etaSeconds: event.eta_s ?? null,
    metrics: merge(heard.metrics, event.metrics),
  };
}

function merge(known: HeardEvents["metrics"], fresh: HeardEvents["metrics"]): HeardEvents["metrics"] {
  return Object.fromEntries(Object.entries({ ...known, ...fresh }).slice(-maxMetrics));
}

const toCheckpoint = ({ path, step, bytes, complete }: WorkerEventOf<"checkpoint">) => ({
  path,
  step,
  bytes,
  complete,
});

const toArtifact = ({ path, size_bytes, checksum_sha256, role }: WorkerEventOf<"artifact">) => ({
  path,
  size_bytes,
  checksum_sha256,
  role,
});

const toError = (event: WorkerEventOf<"error">, isAfterStop: boolean) => ({
  code: event.code,
  message: event.message,
  hint: event.hint ?? null,
  retryable: event.retryable,
  isAfterStop,
});
