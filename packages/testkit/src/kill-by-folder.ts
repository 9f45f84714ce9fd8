import { readdirSync, readFileSync } from "node:fs";
import { isAlive } from "./processes.ts";

/** Kills every process that has a temporary folder in its command line or environment, as only those made for it can. */
export function killByFolder(folder: string, isChosen: (text: string) => boolean = () => true): void {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const text = textOf(name);
    const pid = Number(name);
    if (pid === process.pid || !text.includes(folder) || !isChosen(text) || !isAlive(pid)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}

function textOf(pid: string): string {
  try {
    return `${readFileSync(`/proc/${pid}/cmdline`, "latin1")}\0${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`;
  } catch {
    return "";
  }
}
