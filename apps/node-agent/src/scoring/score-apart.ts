import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { evalFiles, type EvalResults, evalResults } from "@attune/contracts/compute/eval-results.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { createFamilyGuard } from "../process/guard-family.ts";
import { whenTold } from "./score-predictions.ts";

const program = join(import.meta.dirname, "score-predictions.ts");
const maxErrorBytes = 64 * 1024;

/**
 * `scorePredictions` in a process of its own, so that the agent goes on answering meanwhile; it does not outlive the agent. An
 * aborted signal ends it at once: the answers stay, with the scores that there were before, if any, and nothing of new ones.
 *
 * @throws AppError EVALUATION_UNFINISHED, EVALUATION_UNREADABLE, SCORING_FAILED
 */
export async function scoreApart(runFolder: string, signal?: AbortSignal): Promise<EvalResults> {
  const output = join(runFolder, "output");
  signal?.throwIfAborted();
  await removeRemains(output);
  const { told, status, killedBy } = await runScoring(runFolder, signal);
  if (signal?.aborted === true) await removeRemains(output);
  signal?.throwIfAborted();
  if (status !== 0) throw toError(told, killedBy);
  return evalResults.parse(JSON.parse(await readFile(join(output, evalFiles.results), "utf8")));
}

interface EndedScoring {
  /** The end of what it wrote to stderr. */
  readonly told: string;
  readonly status: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

/** @throws AppError SCORING_FAILED when there is no process */
async function runScoring(runFolder: string, signal?: AbortSignal): Promise<EndedScoring> {
  const child = spawn(process.execPath, [program, runFolder, whenTold], {
    stdio: ["pipe", "ignore", "pipe"],
    env: {},
    detached: true,
  });
  const id = createId();
  const guard = createFamilyGuard();
  if (child.pid !== undefined) guard.add(id, child.pid);
  // It begins when it is guarded, and not at all when the agent is gone before.
  child.stdin.on("error", () => undefined).end("begin");
  const stop = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (told = (told + text).slice(-maxErrorBytes)));
  child.once("exit", () => guard.remove(id));
  try {
    const [status, killedBy] = (await once(child, "close").catch((error: unknown) => {
      throw new AppError("SCORING_FAILED", { detail: "Its process could not be started." }, error);
    })) as [number | null, NodeJS.Signals | null];
    return { told, status, killedBy };
  } finally {
    signal?.removeEventListener("abort", stop);
    guard.close();
  }
}

/** What a scoring leaves that was ended while it wrote: halves of its files, and scores without the results that tell of them. */
async function removeRemains(output: string): Promise<void> {
  const names: readonly string[] = await readdir(output).catch(() => []);
  const isScored = names.includes(evalFiles.results);
  const remains = names.filter(
    (name) =>
      (!isScored && name === evalFiles.scores) ||
      [evalFiles.scores, evalFiles.results].some((whole) => name.startsWith(`${whole}.`) && name.endsWith(".part")),
  );
  await Promise.all(remains.map((name) => rm(join(output, name), { force: true })));
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
