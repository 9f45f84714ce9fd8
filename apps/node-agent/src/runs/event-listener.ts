import { maxEventBytes } from "@attune/contracts/compute/worker-events.ts";
import { countLeftOut, type EventPaths, readEventGap } from "../process/bound-events.ts";
import type { CutLine } from "../process/line-cutter.ts";
import { createGappedReader } from "../process/gapped-reader.ts";
import { identifyProcess } from "../process/process-identity.ts";
import { isProgress } from "./hear-event.ts";
import type { RunFact } from "./next-run.ts";
import { parseEventLine } from "./parse-event-line.ts";

export interface ListenerDeps {
  readonly paths: EventPaths;
  /** Where to go on, in bytes. */
  readonly offset: number;
  /** Whether the worker is on this machine, so that the number it says is that of a process here. */
  readonly isLocal: boolean;
  readonly monotonicMs: () => number;
}

/** Turns new lines of a run's events into facts. */
export interface EventListener {
  /** Facts of the whole lines that were written since, or of many of them. @throws Error of the system. */
  hear(): Promise<{ readonly facts: readonly RunFact[]; readonly isAtEnd: boolean }>;
  /** Facts of half a line at the end, once nobody writes any more. */
  hearRest(): readonly RunFact[];
  /** When the last line came, and the last that tells of progress; at first when listening began. */
  lastHeardMs(): number;
  lastStepMs(): number;
  close(): Promise<void>;
}

export function createEventListener({ paths, offset, isLocal, monotonicMs }: ListenerDeps): EventListener {
  const reader = createGappedReader({ ...paths, offset, maxLineBytes: maxEventBytes });
  let heardMs = monotonicMs();
  let stepMs = heardMs;
  const toFact = ({ text, isCut, endOffset, isNotice = false }: CutLine): RunFact[] => {
    heardMs = monotonicMs();
    if (text.trim() === "" || isNotice) return [];
    const parsed = parseEventLine(text, isCut);
    if (parsed.kind === "unreadable") return [{ type: "said_unreadable", endOffset }];
    if (parsed.kind === "other_protocol") {
      const message = `The worker speaks version ${parsed.version} of the protocol of events, which this agent does not know.`;
      const aborted: RunFact = { type: "aborted", cause: { cause: "environment", message } };
      return [{ type: "said_unreadable", endOffset }, aborted];
    }
    const { event } = parsed;
    if (isProgress(event)) stepMs = heardMs;
    const speaker = isLocal && event.type === "hello" ? identifyProcess(event.pid) : undefined;
    return [{ type: "said", event, endOffset, speaker }];
  };
  return {
    hear: async () => {
      const facts: RunFact[] = [];
      for (;;) {
        const { lines, isAtEnd } = await reader.read();
        facts.push(...lines.flatMap(toFact));
        if (!isAtEnd && facts.length < factsAtOnce) continue;
        const count = countLeftOut(await readEventGap(paths));
        return { facts: count === 0 ? facts : [...facts, { type: "left_out", count }], isAtEnd };
      }
    },
    hearRest: () => [reader.readRest()].flatMap((line) => (line === undefined ? [] : toFact(line))),
    lastHeardMs: () => heardMs,
    lastStepMs: () => stepMs,
    close: () => reader.close(),
  };
}

/** So that a flood of events does not keep the agent from its other work. */
const factsAtOnce = 2000;
