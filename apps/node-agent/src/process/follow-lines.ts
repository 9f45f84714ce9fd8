import type { CutLine } from "./line-cutter.ts";
import { createLineReader, type LineReader, type LineSource } from "./line-reader.ts";
import { watchChanges } from "./watch-changes.ts";

export interface FollowedFile extends LineSource {
  /** Asked before each look at the end of the file: once it says no, what is there is read to its end, and that is all. */
  readonly isGrowing?: () => boolean;
  /** Reads the file in another way than line after line. */
  readonly reader?: LineReader;
}

/**
 * Lines of a file as they are written, from an offset on, until it no longer grows or the signal aborts. Half a line at the
 * end of a file that no longer grows comes as it is. Changes are seen at once where the system tells them, else within 250 ms.
 */
export async function* followLines(
  { isGrowing = () => true, reader: given, ...source }: FollowedFile,
  signal: AbortSignal,
): AsyncGenerator<CutLine> {
  const reader = given ?? createLineReader(source);
  const changes = watchChanges(source.path);
  try {
    while (!signal.aborted) {
      const mayGrow = isGrowing();
      yield* readToEnd(reader, signal);
      if (!mayGrow) {
        yield* [reader.readRest()].filter((rest) => rest !== undefined);
        return;
      }
      await changes.next(signal);
    }
  } finally {
    changes.close();
    await reader.close();
  }
}

async function* readToEnd(reader: LineReader, signal: AbortSignal): AsyncGenerator<CutLine> {
  while (!signal.aborted) {
    const { lines, isAtEnd } = await reader.read();
    yield* lines;
    if (isAtEnd) return;
  }
}
