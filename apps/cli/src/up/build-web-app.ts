import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { markOf } from "@attune/service-kit/postgres/process-mark.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import { repositoryFolder } from "../repository.ts";
import { runProgram } from "../run-program.ts";

const webFolder = join(repositoryFolder, "apps/web");
/** What the web app is made of; its tests and notes lie there, too, and cost a build that was not needed. */
const sources = ["index.html", "package.json", "vite.config.ts", "public", "src", "../../packages/contracts/src"];
const builder = join(repositoryFolder, "node_modules/vite/bin/vite.js");

export interface BuildRequest {
  readonly environment: Environment;
  readonly write: (line: string) => void;
}

/**
 * Builds the web app where there is none or its sources have changed since; an installation without sources or without the
 * builder has what it has. A build that is killed leaves the earlier one as it was.
 * @throws Error when it cannot be built.
 */
export async function buildWebApp({ environment, write }: BuildRequest, signal: AbortSignal): Promise<void> {
  const target = join(webFolder, "dist");
  if (!existsSync(builder) || !existsSync(join(webFolder, "src")) || isFresh(target)) return;
  const scratch = join(repositoryFolder, ".work", `web-${markOf(process.pid)}`);
  mkdirSync(join(scratch, ".."), { recursive: true });
  write("[web] The web app is being built.");
  try {
    const args = [builder, "build", webFolder, "--outDir", scratch, "--emptyOutDir", "--logLevel", "warn"];
    const status = await runProgram({ name: "web", arguments: args, environment, write }, signal);
    if (status !== 0) throw new Error(`The web app could not be built (status ${status}): see above.`);
    rmSync(target, { recursive: true, force: true });
    renameSync(scratch, target);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isFresh(target: string): boolean {
  const builtMs = statSync(join(target, "index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return builtMs > Math.max(...sources.map((path) => newestMs(join(webFolder, path))));
}

/** When a file, or the newest file of a folder, was last changed. */
function newestMs(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}
