/** A program that turns documents into text, run as a process of its own that answers one file at a time. */
export interface Peer {
  /** Name of its converter in the worker, and of its folders. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** How it is asked, where there is a choice. */
  readonly settings: string;
  readonly output: "markdown" | "html" | "text";
  /** Extensions of the files that it is given. */
  readonly reads: readonly string[];
  /** What it cannot read here that it otherwise could, and why. */
  readonly limits?: string;
  /** It takes seconds for a page and is no rival, so that it reads few files. */
  readonly isYardstick?: boolean;
  readonly command: readonly [file: string, ...args: string[]];
  /** Converts every PDF of the folder {} in one process into files in {out}; for peers that start slowly. */
  readonly batch?: readonly string[];
  /** Why it cannot take part, and how it could. */
  readonly missing: string | undefined;
}

/** What a peer made of one file. Exactly one of `text` and `error` is there. */
export interface Answer {
  readonly text?: string;
  readonly error?: string;
  /** User and system time that the peer's processes have used since they started. */
  readonly cpuMs: number;
  /** The most memory that one of its processes has held. */
  readonly peakKib: number;
}

export function labelOf({ name, version }: Peer): string {
  return version === "" ? name : `${name} ${version}`;
}
