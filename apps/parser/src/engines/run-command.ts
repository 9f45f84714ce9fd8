export interface Command {
  /** Name found on PATH, or an absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly stdin?: Uint8Array;
  /** Only these variables are in the environment of the command, beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs: number;
  /** Most bytes of standard output kept; more ends the command with `LIMIT_EXCEEDED`. */
  readonly maxOutputBytes: number;
  /** Cap of the command's data segment in MiB, set with prlimit where it exists. */
  readonly memoryMib?: number;
  /** Most bytes of a file that it writes, set with prlimit where it exists. */
  readonly maxFileBytes?: number;
  /**
   * Where bubblewrap works, the command has no network, and of the folders that hold what is not installed it sees only these
   * and its home. Without it, it runs like any program.
   */
  readonly files?: CommandFiles;
  /** A question that takes a moment: it does not wait for its turn. */
  readonly isProbe?: boolean;
}

/** Absolute paths that a command is given. */
export interface CommandFiles {
  readonly readable: readonly string[];
  /** Folders. */
  readonly writable: readonly string[];
}

export interface CommandResult {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: Uint8Array;
  /** The last 8 KiB. */
  readonly stderr: string;
  readonly isTimedOut: boolean;
  /** Milliseconds that it waited for its turn, which its own time does not hold. */
  readonly waitedMs: number;
}

/**
 * Runs a program in a process group of its own that dies with this process, and kills the whole group at the end of its
 * time or when `signal` aborts. Only so many run at once, the others wait for their turn. A program that fails is a result, not an error.
 * @throws AppError `ENGINE_UNAVAILABLE` when the program does not exist, the abort reason when `signal` aborts.
 */
export type RunCommand = (command: Command, signal: AbortSignal) => Promise<CommandResult>;
