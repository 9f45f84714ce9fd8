import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const served = join(root, "apps/web/dist");

/** Builds the web app into `folder`, absolute, or where the platform serves it from. Gives the folder. */
export function buildWeb(folder = served): string {
  if (folder !== served) return buildInto(folder);
  // Whole or not at all, because another test may be reading what it built.
  const scratch = join(root, ".work", `web-test-${process.pid}`);
  mkdirSync(join(root, ".work"), { recursive: true });
  buildInto(join(scratch, "new"));
  try {
    renameSync(served, join(scratch, "old"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  renameSync(join(scratch, "new"), served);
  rmSync(scratch, { recursive: true });
  return served;
}

function buildInto(folder: string): string {
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const parameters = ["build", "--manifest", "--emptyOutDir", "--outDir", folder, "--logLevel", "error"];
  const { status, stderr } = spawnSync(process.execPath, [vite, ...parameters], {
    cwd: join(root, "apps/web"),
    // The runner of tests says "test", which would build React for development.
    env: { ...process.env, NODE_ENV: "production" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The web app cannot be built:\n${stderr}`);
  return folder;
}
