import { AppError } from "@attune/service-kit/app-error.ts";
import type { Availability } from "./engine.ts";
import type { Command, CommandResult, RunCommand } from "./run-command.ts";

export interface ProgramProbe {
  /** The program, and the arguments that make it tell its version. */
  readonly file: string;
  readonly args: readonly string[];
  /** What to do when it is missing. */
  readonly remedy: string;
}

/** Whether a program is there and runs. */
export async function probeProgram(
  runCommand: RunCommand,
  { file, args, remedy }: ProgramProbe,
  signal: AbortSignal,
): Promise<Availability> {
  try {
    const result = await runCommand({ file, args, timeoutMs: 1800, maxOutputBytes: 1 << 16 }, signal);
    // A slow start is a start: a program that is still busy after the time for an answer is there.
    return result.exitCode === 0 || result.isTimedOut
      ? { isAvailable: true }
      : { isAvailable: false, reason: `${file} does not run (status ${result.exitCode ?? result.signal}): ${remedy}` };
  } catch (error) {
    const isMissing = error instanceof AppError && error.reason === "ENGINE_UNAVAILABLE";
    return {
      isAvailable: false,
      reason: isMissing ? `${file} not found: ${remedy}` : `${file} does not run: ${remedy}`,
    };
  }
}

/**
 * Runs a program of an engine to its end.
 * @throws AppError `PARSE_TIMEOUT`, `MEMORY_EXCEEDED` for a death by memory, `ENGINE_FAILED` for any other failure, with what it
 *   said as the cause, for the log only.
 */
export async function runEngineCommand(
  runCommand: RunCommand,
  command: Command & { readonly engine: string },
  signal: AbortSignal,
): Promise<CommandResult> {
  const { engine, ...rest } = command;
  const result = await runCommand(rest, signal);
  if (result.isTimedOut)
    throw new AppError("PARSE_TIMEOUT", { detail: `${engine} took more than ${command.timeoutMs} ms.` });
  if (result.exitCode === 0) return result;
  const said = new Error(result.stderr);
  if (/out of memory|bad_alloc|MemoryError|Cannot allocate/i.test(result.stderr))
    throw new AppError("MEMORY_EXCEEDED", {}, said);
  const how = result.exitCode === undefined ? `signal ${result.signal ?? "unknown"}` : `status ${result.exitCode}`;
  throw new AppError("ENGINE_FAILED", { detail: `${engine} ended with ${how}.` }, said);
}
