import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killGroup } from "../process/kill-group.ts";
import { createSandbox, type SandboxedProcess, type SandboxSettings } from "../process/sandbox.ts";

/**
 * A folder with our sources as Node compiled them, which spares each worker the greater part of its start and the memory of
 * the compiler. It is filled once, before any document is read, and only ever read by workers.
 */
export interface CompileCache extends AsyncDisposable {
  readonly folder: string;
  /** Runs the worker once, without a document, and keeps what Node compiled. @throws Error when it did not end well. */
  prepare(settings: SandboxSettings, args: readonly string[]): Promise<void>;
}

export async function createCompileCache(): Promise<CompileCache> {
  const folder = await mkdtemp(join(tmpdir(), "parser-compiled-"));
  return {
    folder,
    // Without a fence, because the fence would keep it from writing, and V8 takes only what was compiled with equal flags.
    prepare: (settings, args) => runOnce(createSandbox("none", settings, { reservedMib: 0 }).spawnNode(args)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const timeoutMs = 30_000;

// When its pipe closes, a worker ends by itself, and on a regular end Node writes its cache.
function runOnce({ child, channel, stderr }: SandboxedProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => killGroup(child.pid), timeoutMs);
    channel.once("data", () => channel.end()).on("error", () => undefined);
    stderr.resume().on("error", () => undefined);
    const finish = (error?: Error) => {
      clearTimeout(timer);
      if (error === undefined) resolve();
      else reject(error);
    };
    child.once("error", finish);
    child.once("close", (code) => finish(code === 0 ? undefined : new Error(`exit code ${code ?? "none"}`)));
  });
}
