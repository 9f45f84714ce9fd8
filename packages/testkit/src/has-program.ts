import { spawnSync } from "node:child_process";

/** Whether a program is installed and tells its version. */
export function hasProgram(file: string): boolean {
  return spawnSync(file, ["--version"], { stdio: "ignore", timeout: 30_000 }).status === 0;
}
