import type { Answer, Peer } from "../../peers/peer.ts";

/** A reader and what it made of every file of all sets, by path. */
export interface Run {
  readonly peer: Peer;
  readonly answers: ReadonlyMap<string, Answer>;
}

/** Those that were asked for every file of a set. */
export function runsOver(runs: readonly Run[], paths: readonly string[]): Run[] {
  return runs.filter(({ answers }) => paths.every((path) => answers.has(path)));
}

/** The part of a report that tells of one set of files. */
export interface Section {
  readonly markdown: string;
  /** SVG files by name. */
  readonly charts: ReadonlyMap<string, string>;
}
