import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Builds the web app into `folder`, absolute, or where the platform serves it from. Gives the folder. */
export function buildWeb(folder = join(root, "apps/web/dist")): string {
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
