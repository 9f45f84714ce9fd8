import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { hasLevel } from "./testing/has-level.ts";
import { findDescendants, findWorkers, readProcessFile, until } from "./testing/pool-harness.ts";

const host = fileURLToPath(new URL("./testing/orphan-host.ts", import.meta.url));
const levels = {
  none: await hasLevel("none"),
  process: await hasLevel("process"),
  bubblewrap: await hasLevel("bubblewrap"),
};
const temporary = mkdtempSync(join(tmpdir(), "orphans-test-"));
const hasProc = process.platform === "linux";

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** Processes by pid and start time, so that a new process with an old pid is not taken for the old one. */
const identify = (pids: readonly number[]) => new Map(pids.map((pid) => [pid, startTimeOf(pid)]));

function startTimeOf(pid: number): string {
  const stat = readProcessFile(pid, "stat");
  const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" ? "" : (rest[18] ?? "");
}

describe.each(["none", "process", "bubblewrap"] as const)("a service at level %s", (level) => {
  it.skipIf(!levels[level] || !hasProc)(
    "leaves no process behind when it is killed in the middle of its work",
    async () => {
      const service = spawn(process.execPath, [host, level], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, TMPDIR: temporary },
      });
      const pid = service.pid ?? 0;
      let all = new Map<number, string>();
      try {
        await new Promise((resolve) => service.stdout.once("data", resolve));
        await until(() => findDescendants(pid).filter(isSleep).length === 2);
        all = identify(findDescendants(pid));
        expect(findWorkers(pid)).toHaveLength(2);
        const isAlive = ([child, startTime]: [number, string]) => startTime !== "" && startTimeOf(child) === startTime;
        expect([...all].filter(isAlive).length).toBeGreaterThanOrEqual(6);
        expect(listCaches()).toHaveLength(1);
        const killedAtMs = performance.now();
        process.kill(pid, "SIGKILL");
        await until(() => [...all].filter(isAlive).length === 0, 2000);
        await until(() => listCaches().length === 0, 2000);
        const tookMs = Math.round(performance.now() - killedAtMs);
        process.stderr.write(`${level}: ${all.size} processes gone ${tookMs} ms after the service\n`);
      } finally {
        service.kill("SIGKILL");
        for (const [child, startTime] of all) if (startTimeOf(child) === startTime) process.kill(child, "SIGKILL");
      }
    },
  );
});

const listCaches = () => readdirSync(temporary).filter((name) => name.startsWith("parser-compiled-"));

const isSleep = (pid: number) => readProcessFile(pid, "cmdline").startsWith("sleep\0");
