import { AppError } from "@attune/service-kit/app-error.ts";
import type { Availability, EngineDeps, EngineRequest } from "./engine.ts";
import type { Command, CommandResult, RunCommand } from "./run-command.ts";

export interface ProgramProbe {
  /** The program, and the arguments that make it tell its version. */
  readonly file: string;
  readonly args: readonly string[];
  /** What to do when it is missing. */
  readonly remedy: string;
}

/** A command that is given nothing to see but what comes on its standard input. */
const noFiles = { readable: [], writable: [] };

/** Whether a program is there and runs, fenced in as it will be. */
export async function probeProgram(
  runCommand: RunCommand,
  { file, args, remedy }: ProgramProbe,
  signal: AbortSignal,
): Promise<Availability> {
  try {
    const limits = { timeoutMs: 1800, maxOutputBytes: 1 << 16 };
    const result = await runCommand({ file, args, ...limits, files: noFiles, isProbe: true }, signal);
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

export interface EngineCommand extends Omit<Command, "timeoutMs" | "isProbe"> {
  /** Name of the engine, for messages. */
  readonly engine: string;
}

type Running = Pick<EngineDeps<unknown>, "runCommand" | "timeoutMs">;

/**
 * Runs a program of an engine to its end, in the time that the request has left, without network where that can be had.
 * @throws AppError `PARSE_TIMEOUT`, `MEMORY_EXCEEDED` for a death by memory, `ENGINE_FAILED` for any other failure, with what it
 *   said as the cause, for the log only.
 */
export async function runEngineCommand(
  { runCommand, timeoutMs }: Running,
  { command, request }: { readonly command: EngineCommand; readonly request: EngineRequest },
  signal: AbortSignal,
): Promise<CommandResult> {
  const { engine, ...rest } = command;
  const { clock, options } = request;
  const limitMs = timeoutMs(options);
  const result = await runCommand({ files: noFiles, ...rest, timeoutMs: clock.leftMs(limitMs) }, signal);
  clock.discount(result.waitedMs);
  const said = new Error(result.stderr);
  if (result.isTimedOut)
    throw new AppError("PARSE_TIMEOUT", { detail: `${engine} took more than ${limitMs} ms.` }, said);
  if (result.exitCode === 0) return result;
  if (/out of memory|bad_alloc|MemoryError|Cannot allocate/i.test(result.stderr))
    throw new AppError("MEMORY_EXCEEDED", {}, said);
  const how = result.exitCode === undefined ? `signal ${result.signal ?? "unknown"}` : `status ${result.exitCode}`;
  throw new AppError("ENGINE_FAILED", { detail: `${engine} ended with ${how}.` }, said);
}
