import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import type { Environment } from "@attune/service-kit/load-config.ts";
import { writeLines } from "./supervisor/write-lines.ts";

export interface ProgramRun {
  /** Stands before its lines; where it is empty they stand for themselves. */
  readonly name: string;
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly write: (line: string) => void;
}

/** Runs a Node program to its end. @returns its exit status, or the signal that ended it. */
export function runProgram(
  { name, arguments: args, environment, write }: ProgramRun,
  signal: AbortSignal,
): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      signal,
      killSignal: "SIGTERM",
    });
    writeLines(child.stdout, name, write);
    writeLines(child.stderr, name, write);
    child.once("error", reject);
    child.once("close", (code, killed) => resolve(code ?? killed ?? ""));
  });
}

const timeoutMs = 60_000;

/** Runs any program to its end. @returns its output @throws when it cannot be run or fails. */
export async function runProgramForOutput(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  return (await promisify(execFile)(program, args, { signal, timeout: timeoutMs })).stdout;
}
