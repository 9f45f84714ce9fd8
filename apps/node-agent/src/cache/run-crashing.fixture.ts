import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type CrashOrder, crashProgram } from "./crash.fixture.ts";

export interface CrashOutcome {
  readonly steps: readonly string[];
  /** `entries`: how many the cache knows after it has refused the request. */
  readonly end:
    | { readonly state: string; readonly failure: { readonly reason: string } | null; readonly entries?: number }
    | undefined;
  readonly signal: string | null;
  readonly errors: string;
}

// What a process compiles, the next one need not: tests start many.
const compiled = mkdtempSync(join(tmpdir(), "attune-compiled-"));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));
const env = { NODE_COMPILE_CACHE: compiled, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

/** Runs a cache in a process of its own, to its end. `wrap` puts a command before it, such as a shell that sets limits. */
export function runCrashing(order: CrashOrder, wrap: readonly string[] = []): Promise<CrashOutcome> {
  const command = [...wrap, process.execPath, crashProgram, JSON.stringify(order)];
  const child = spawn(command[0] ?? process.execPath, command.slice(1), { stdio: ["ignore", "pipe", "pipe"], env });
  const [out, errors]: [string[], string[]] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (_code, signal) => {
      const lines = out.join("").split("\n");
      const end = lines.find((line) => line.startsWith("end "));
      resolve({
        steps: lines.filter((line) => line.startsWith("step ")).map((line) => line.slice("step ".length)),
        end: end === undefined ? undefined : JSON.parse(end.slice("end ".length)),
        signal,
        errors: errors.join(""),
      });
    });
  });
}
