import { existsSync } from "node:fs";
import { isAlive, until } from "@attune/testkit/processes.ts";
import { expect, test } from "vitest";
import { type Installation, makeInstallation } from "./start-attune.ts";

const hasProc = existsSync("/proc/self/stat");
if (!hasProc) console.log("Tests of `npm start` look processes up in /proc and are skipped.");
const timeoutMs = 900_000;

/** Asks the doctor until all is well. */
async function untilWell(installation: Installation): Promise<string> {
  let report = "";
  await until(
    () => {
      const { status, output } = installation.run("doctor");
      report = output;
      return status === 0 && output.includes("The platform serves") && output.includes("The node agent serves");
    },
    120_000,
    "all is well",
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${report}`);
  });
  return report;
}

test.skipIf(!hasProc)(
  "a first start makes everything, a second instance is refused, SIGTERM stops all, a second start reuses all",
  { timeout: timeoutMs },
  async () => {
    await using installation = await makeInstallation();
    const first = await installation.start();
    expect(first.output()).toMatch(/The first account was made[^\n]*\n {4}\S+@\S+ {4}\S{12,}\n/);
    expect((await fetch(`${first.url}/api/v1/openapi.json`)).status).toBe(200);

    const report = await untilWell(installation);
    expect(report.split("\n").filter((line) => line !== "" && !/^(ok|warn) {2}/.test(line))).toEqual([]);
    expect(report).toContain("The parser serves on http://127.0.0.1:");
    expect(report).toContain("The node agent serves on http://127.0.0.1:");
    expect(report).toMatch(/The database is up to date, \d+ migrations\./);
    const second = installation.run("up");
    expect([second.status, second.output]).toEqual([
      1,
      expect.stringContaining(`runs already on this data folder (process ${first.pid})`),
    ]);
    expect(installation.run("reset", "--yes").output).toContain(`Attune is running (process ${first.pid})`);

    const processes = first.processes();
    expect(await first.end("SIGTERM")).toBe(0);
    await until(() => !processes.some(isAlive), 120_000, "every process is gone");
    expect(installation.run("doctor").output).toContain("Attune is not running.");

    const again = await installation.start();
    expect(again.output()).not.toContain("first account");
    expect(await again.end("SIGINT")).toBe(0);

    expect(installation.run("reset")).toMatchObject({ status: 1, output: expect.stringContaining("reset --yes") });
    expect(existsSync(installation.dataFolder)).toBe(true);
    expect(installation.run("reset", "--yes").status).toBe(0);
    expect(existsSync(installation.dataFolder)).toBe(false);
  },
);

test.skipIf(!hasProc)(
  "kill -9 of any part is mended; kill -9 of the whole leaves no process behind, and the next start recovers",
  { timeout: timeoutMs },
  async () => {
    await using installation = await makeInstallation();
    const attune = await installation.start();
    for (const part of [
      "apps/parser/src/main.ts serve",
      "apps/platform/src/main.ts serve",
      "apps/node-agent/src/main.ts serve",
    ]) {
      const pid = attune.find(part);
      process.kill(pid, "SIGKILL");
      await until(() => !isAlive(pid), 120_000, "it is gone");
      await untilWell(installation);
      expect(attune.find(part)).not.toBe(pid);
    }
    const database = installation.databasePid();
    process.kill(database, "SIGKILL");
    await until(() => attune.output().includes("PostgreSQL runs again"), 120_000, "the database runs again");
    await untilWell(installation);
    expect(installation.databasePid()).not.toBe(database);

    const processes = [...attune.processes(), installation.databasePid()];
    expect(processes.length).toBeGreaterThan(6);
    await attune.end("SIGKILL");
    await until(() => !processes.some(isAlive), 120_000, "every process is gone");

    const next = await installation.start();
    expect(next.output()).not.toContain("first account");
    expect(await next.end("SIGTERM")).toBe(0);
  },
);
