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
}

export interface CommandResult {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: Uint8Array;
  /** The last 8 KiB. */
  readonly stderr: string;
  readonly isTimedOut: boolean;
}

/**
 * Runs a program in a process group of its own that dies with this process, and kills the whole group at the end of its
 * time or when `signal` aborts. A program that fails is a result, not an error.
 * @throws AppError `ENGINE_UNAVAILABLE` when the program does not exist, the abort reason when `signal` aborts.
 */
export type RunCommand = (command: Command, signal: AbortSignal) => Promise<CommandResult>;
