import { execFile } from "node:child_process";
import { explainSmiEnd } from "./explain-smi-end.ts";

const timeoutMs = 30_000;

/** Runs the driver's program once. @returns what it wrote. @throws Error that says why it failed. */
export function runSmi(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 2 ** 20, signal } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const lastLines = `${stdout}\n${stderr}`
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean)
        .slice(-5);
      const code = typeof error.code === "number" ? error.code : null;
      const startError = typeof error.code === "string" ? error.code : null;
      const end = { code, signal: error.signal ?? null, startError, lastLines };
      reject(new Error(explainSmiEnd(program, end), { cause: error }));
    });
  });
}

/** Whether the system finds the program; not whether it works. */
export function isSmiInstalled(program = "nvidia-smi"): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, ["--version"], { timeout: timeoutMs, killSignal: "SIGKILL" }, (error) =>
      resolve(error === null || (error.code as unknown) !== "ENOENT"),
    );
  });
}
