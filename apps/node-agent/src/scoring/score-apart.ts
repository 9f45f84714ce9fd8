import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { evalFiles, type EvalResults, evalResults } from "@attune/contracts/compute/eval-results.ts";
import { AppError } from "@attune/service-kit/app-error.ts";

const program = join(import.meta.dirname, "score-predictions.ts");
const maxErrorBytes = 64 * 1024;

/**
 * `scorePredictions` in a process of its own, so that the agent goes on answering meanwhile. An aborted signal ends it, and
 * leaves the results that there were before, if any.
 *
 * @throws AppError EVALUATION_UNFINISHED, EVALUATION_UNREADABLE, SCORING_FAILED
 */
export async function scoreApart(runFolder: string, signal?: AbortSignal): Promise<EvalResults> {
  signal?.throwIfAborted();
  const child = spawn(process.execPath, [program, runFolder], { stdio: ["ignore", "ignore", "pipe"], env: {} });
  const stop = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", stop, { once: true });
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (told = (told + text).slice(-maxErrorBytes)));
  try {
    const [status, killedBy] = (await once(child, "close").catch((error: unknown) => {
      throw new AppError("SCORING_FAILED", { detail: "Its process could not be started." }, error);
    })) as [number | null, NodeJS.Signals | null];
    signal?.throwIfAborted();
    if (status !== 0) throw toError(told, killedBy);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  return evalResults.parse(JSON.parse(await readFile(join(runFolder, "output", evalFiles.results), "utf8")));
}

function toError(told: string, killedBy: NodeJS.Signals | null): AppError {
  const last = told.trimEnd().split("\n").at(-1) ?? "";
  try {
    const { reason, detail } = JSON.parse(last) as { readonly reason?: unknown; readonly detail?: string };
    const details = detail === undefined ? {} : { detail };
    if (reason === "EVALUATION_UNFINISHED" || reason === "EVALUATION_UNREADABLE") return new AppError(reason, details);
    return new AppError("SCORING_FAILED", details);
  } catch {
    const detail = killedBy === null ? last.slice(0, 500) : `Its process was ended by ${killedBy}.`;
    return new AppError("SCORING_FAILED", { detail });
  }
}
