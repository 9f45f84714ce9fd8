import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, Peer } from "./peer.ts";

const timeLimitMs = 900_000;

/** What a peer that starts slowly makes of PDFs in one process; files that it wrote nothing for are not among the answers. */
export function convertBatch({ batch }: Peer, paths: readonly string[]): ReadonlyMap<string, Answer> {
  const answers = new Map<string, Answer>();
  if (batch === undefined) return answers;
  const folder = mkdtempSync(join(tmpdir(), "batch-"));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  mkdirSync(from);
  mkdirSync(to);
  for (const [index, path] of paths.entries()) copyFileSync(path, join(from, `${index}.pdf`));
  const [command, ...args] = batch.map((part) => part.replace("{}", from).replace("{out}", to));
  spawnSync(command!, args, { timeout: timeLimitMs, stdio: "ignore" });
  for (const [index, path] of paths.entries()) {
    const made = join(to, `${index}.md`);
    if (existsSync(made)) answers.set(path, { text: readFileSync(made, "utf8"), cpuMs: 0, peakKib: 0 });
  }
  rmSync(folder, { recursive: true });
  return answers;
}
