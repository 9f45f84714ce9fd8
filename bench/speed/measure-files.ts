import type { Peer } from "../peers/peer.ts";
import { PeerProcess } from "../peers/peer-process.ts";

/** User and system time of one process of a reader over a list of files, and the most memory that it has held. */
export interface Passes {
  /** The first pass, with the start of the process. */
  readonly coldMs: number;
  /** The second pass of the same process; undefined where each file is a process. */
  readonly warmMs: number | undefined;
  readonly peakMib: number;
  readonly failures: readonly string[];
}

const timeLimitMs = 180_000;

/** Has a fresh process of a reader convert the files, twice where it stays. */
export async function measureFiles(peer: Peer, paths: readonly string[], staysForFiles: boolean): Promise<Passes> {
  const process = new PeerProcess(peer, timeLimitMs);
  const failures: string[] = [];
  let peakKib = 0;
  const pass = async (): Promise<number> => {
    let cpuMs = 0;
    for (const path of paths) {
      const answer = await process.convert(path);
      if (answer.error !== undefined) failures.push(`${path}: ${answer.error}`);
      // What a process that was ended had used is lost; it is told among the failures.
      cpuMs = answer.cpuMs === 0 ? cpuMs : answer.cpuMs;
      peakKib = Math.max(peakKib, answer.peakKib);
    }
    return cpuMs;
  };
  const coldMs = await pass();
  const warmMs = staysForFiles ? (await pass()) - coldMs : undefined;
  await process.stop();
  return { coldMs, warmMs, peakMib: peakKib / 1024, failures };
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}
