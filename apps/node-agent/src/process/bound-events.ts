import { statSync } from "node:fs";
import { type FileHandle, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { maxEventBytes } from "@attune/contracts/compute/worker-events.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import * as z from "zod";
import { punchHole } from "./bound-log.ts";
import { createLineCutter, type CutLine } from "./line-cutter.ts";
import { writeFileWhole } from "./write-file-whole.ts";

/** `events-gap.json`: what of a run's events was left out, because there were too many. */
const eventGap = z.object({
  /** From the one offset to before the other nothing is to be read any more; both are ends of lines, but within endless ones. */
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** Lines that are gone, by the type of their event; `unreadable` are those that were none. */
  leftOut: z.record(z.string(), z.int().nonnegative()),
  /** Bytes of `events-kept.ndjson` that belong to the gap. */
  keptBytes: z.int().nonnegative(),
});
export type EventGap = z.infer<typeof eventGap>;

export interface EventPaths {
  /** Lines of the worker, appended. */
  readonly events: string;
  /** Which part of them was left out. */
  readonly eventsGap: string;
  /** Lines of the gap that are kept: where each ended, a tab, and the line. */
  readonly eventsKept: string;
}

export const eventPaths = (folder: string): EventPaths => ({
  events: join(folder, "events.ndjson"),
  eventsGap: join(folder, "events-gap.json"),
  eventsKept: join(folder, "events-kept.ndjson"),
});

/** So many times its bound may the file take while it is made smaller. */
const floodFactor = 4;

/** Whether the events take much more than their bound, which no leaving out has helped: too many at once, or no holes. */
export function isBeyondHelp({ events }: EventPaths, maxBytes: number): boolean {
  const blocks = statSync(events, { throwIfNoEntry: false })?.blocks ?? 0;
  return blocks * 512 > floodFactor * maxBytes;
}

/** Undefined while nothing was left out. */
export async function readEventGap({ eventsGap }: Pick<EventPaths, "eventsGap">): Promise<EventGap | undefined> {
  const text = await readFile(eventsGap, "utf8").catch((error: unknown) => {
    // Of a gap that cannot be read the hole would be taken for events.
    if (isMissing(error)) return undefined;
    throw error;
  });
  return text === undefined ? undefined : eventGap.parse(JSON.parse(text));
}

export const countLeftOut = (gap: EventGap | undefined): number =>
  Object.values(gap?.leftOut ?? {}).reduce((sum, count) => sum + count, 0);

/** What a run is followed without: of these the newest ones are enough. */
const chatty: ReadonlySet<string> = new Set(["log", "heartbeat", "progress", "unreadable"]);
const blockBytes = 4096;
const chunkBytes = 256 * 1024;

/** Keeps the space that a run's events take within a bound while others go on appending to them. */
export interface EventBounder {
  /** Looks at the events now. Never throws: events that cannot be bounded go on as they are. */
  check(): Promise<void>;
}

/**
 * When the events grew beyond the bound, their middle gives its space back: a hole, so that no offset changes and no writer is
 * stopped. Of what stood there, everything but log, heartbeat and progress is kept in a file beside, up to a quarter of the
 * bound; what is gone is counted. What is kept and the count are written before the hole is made. Where the file system knows
 * no holes, nothing is left out.
 */
export function createEventBounder(paths: EventPaths, maxBytes: number, punch = punchHole): EventBounder {
  let isLooking = false;
  let canPunch: boolean | undefined;
  const thin = async (file: FileHandle) => {
    const { size } = await file.stat();
    const before = await readEventGap(paths);
    const gone = before === undefined ? 0 : before.end - before.start;
    if (size - gone + (before?.keptBytes ?? 0) <= maxBytes) return;
    canPunch ??= await tryPunch(paths, punch);
    if (!canPunch) return;
    const limit = size - Math.floor(maxBytes / 4);
    const gap = await widenGap({ file, paths, maxBytes, before, limit });
    await writeFileWhole(paths.eventsGap, JSON.stringify(gap));
    const [from, to] = [Math.ceil(gap.start / blockBytes), Math.floor(gap.end / blockBytes)];
    if (to > from) await punch(paths.events, from * blockBytes, to * blockBytes);
  };
  return {
    check: async () => {
      if (isLooking) return;
      isLooking = true;
      const file = await open(paths.events, "r").catch(() => undefined);
      // What fails is tried again at the next look.
      if (file !== undefined) await thin(file).catch(() => undefined);
      await file?.close().catch(() => undefined);
      isLooking = false;
    },
  };
}

async function tryPunch({ eventsGap }: EventPaths, punch: typeof punchHole): Promise<boolean> {
  const trial = `${eventsGap}.trial`;
  try {
    await writeFile(trial, Buffer.alloc(2 * blockBytes, 1));
    return await punch(trial, 0, blockBytes);
  } finally {
    await rm(trial, { force: true });
  }
}

interface Widening {
  readonly file: FileHandle;
  readonly paths: EventPaths;
  readonly maxBytes: number;
  readonly before: EventGap | undefined;
  /** How far it may go. */
  readonly limit: number;
}

/** Writes down what is kept of the part that is new to the gap. @returns the gap as it will be */
async function widenGap({ file, paths, maxBytes, before, limit }: Widening): Promise<EventGap> {
  const from = before?.end ?? Math.floor(maxBytes / 16);
  const sorter = createSorter(before, maxBytes / 4);
  const kept = await open(paths.eventsKept, "a", 0o600);
  try {
    // A widening that was broken off has left what it kept, and does so again.
    await kept.truncate(before?.keptBytes ?? 0);
    for await (const lines of readLines(file, from, limit)) await kept.write(sorter.sort(lines));
    await kept.sync();
  } finally {
    await kept.close();
  }
  const { start, end, ...counts } = sorter.read();
  // Without the end of a line there, it goes on within one that has no end.
  const isEndless = start === undefined || end === undefined || end <= from;
  if (!isEndless) return { start, end, ...counts };
  const leftOut = { ...counts.leftOut, unreadable: Math.max(1, counts.leftOut["unreadable"] ?? 0) };
  return { start: start ?? from, end: limit, leftOut, keptBytes: counts.keptBytes };
}

/** Tells lines that are kept from those that are only counted. */
function createSorter(before: EventGap | undefined, maxKeptBytes: number) {
  const leftOut: Record<string, number> = { ...before?.leftOut };
  let keptBytes = before?.keptBytes ?? 0;
  let { start, end }: { start?: number; end?: number } = before ?? {};
  const keep = (line: CutLine): string => {
    end = line.endOffset;
    // The gap begins between two lines.
    if (start === undefined) {
      start = end;
      return "";
    }
    const type = typeOf(line);
    const entry = `${end}\t${line.text}\n`;
    const length = Buffer.byteLength(entry);
    if (!chatty.has(type) && keptBytes + length <= maxKeptBytes) {
      keptBytes += length;
      return entry;
    }
    leftOut[type] = (leftOut[type] ?? 0) + 1;
    return "";
  };
  return {
    sort: (lines: readonly CutLine[]): string => lines.map(keep).join(""),
    read: () => ({ start, end, leftOut, keptBytes }),
  };
}

/** Whole lines of a part of the file, in pieces. */
async function* readLines(file: FileHandle, start: number, limit: number): AsyncGenerator<readonly CutLine[]> {
  const cutter = createLineCutter(maxEventBytes);
  for (let at = start; at < limit;) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, limit - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    yield cutter.cut(chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}

function typeOf({ text, isCut }: CutLine): string {
  return (isCut ? undefined : /"type": ?"(\w{1,20})"/.exec(text)?.[1]) ?? "unreadable";
}
