import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

/**
 * Has each reader that runs in Node convert one file and end, so that Node keeps what it compiled of its sources in a new
 * folder, as the service does before it takes documents. For later processes, set `NODE_COMPILE_CACHE` to that folder.
 */
export function fillCompileCache(peers: readonly Peer[], path: string): string {
  const folder = mkdtempSync(join(tmpdir(), "compiled-"));
  for (const { command } of peers) {
    const [file, ...args] = command;
    if (file !== process.execPath) continue;
    const env = { ...process.env, NODE_COMPILE_CACHE: folder };
    spawnSync(file, args, { env, input: `${JSON.stringify(path)}\n`, stdio: ["pipe", "ignore", "ignore"] });
  }
  return folder;
}
