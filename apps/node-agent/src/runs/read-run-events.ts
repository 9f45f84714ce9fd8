import { isEnded } from "@attune/contracts/compute/run-record.ts";
import { maxEventBytes, type WorkerEvent } from "@attune/contracts/compute/worker-events.ts";
import { followLines } from "../process/follow-lines.ts";
import { createGappedReader } from "../process/gapped-reader.ts";
import { parseEventLine, type ProtocolLine } from "./parse-event-line.ts";
import type { RunStore } from "./run-store.ts";

export interface RunEvent {
  /** Bytes of the run's events up to the end of this one; going on there misses none and repeats none. */
  readonly offset: number;
  /** An event, or the beginning of a line that is none. */
  readonly event: WorkerEvent | ProtocolLine;
}

export interface EventRange {
  /** Where to begin, in bytes; 0 is the beginning. */
  readonly fromOffset: number;
}

export interface EventSource extends EventRange {
  readonly store: RunStore;
  readonly jobId: string;
}

/**
 * What a run said from an offset on, then what it says, until it has ended. One who began elsewhere gets an unreadable first
 * line; where events were left out, a line of the level `protocol` says how many.
 */
export async function* readRunEvents(source: EventSource, signal: AbortSignal): AsyncGenerator<RunEvent> {
  const { store, jobId, fromOffset } = source;
  const isGrowing = () => store.active().some((run) => run.jobId === jobId && !isEnded(run.state));
  const paths = store.paths(jobId);
  const bounds = { offset: fromOffset, maxLineBytes: maxEventBytes };
  const file = { ...bounds, path: paths.events, isGrowing, reader: createGappedReader({ ...paths, ...bounds }) };
  for await (const { text, isCut, endOffset } of followLines(file, signal)) {
    if (text.trim() === "") continue;
    const parsed = parseEventLine(text, isCut);
    const event = parsed.kind === "event" ? parsed.event : toLine(parsed, text);
    yield { offset: endOffset, event };
  }
}

const toLine = (parsed: Exclude<ReturnType<typeof parseEventLine>, { kind: "event" }>, text: string): ProtocolLine =>
  parsed.kind === "unreadable" ? parsed.line : { type: "log", level: "protocol", message: text.slice(0, 1000) };
