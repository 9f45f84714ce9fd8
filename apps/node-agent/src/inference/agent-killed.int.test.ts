import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "@attune/testkit/processes.ts";
import { expect, test } from "vitest";
import { listFamily } from "../process/end-group.ts";
import { startTestInference } from "./inference.fixture.ts";

const holder = join(import.meta.dirname, "load-and-wait.fixture.ts");

test("an agent that is killed leaves no process of a model, not even one that left its group and ignores to be ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "attune-killed-"));
  const child = spawn(process.execPath, [holder, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { loadId } = JSON.parse(line) as { loadId: string };
  expect(listFamily({ runId: loadId, leader: undefined }).length).toBeGreaterThanOrEqual(3);
  child.kill("SIGKILL");
  await until(() => listFamily({ runId: loadId, leader: undefined }).length === 0, 20_000, "the end of its processes");
  rmSync(folder, { recursive: true, force: true });
});

test("what the guard could not end is ended by the next agent of the folder, and nothing of another one", async () => {
  await using run = await startTestInference();
  const orphan = (root: string, runId: string) =>
    spawn("/bin/sh", ["-c", "sleep 1000"], {
      env: { ATTUNE_RUN_ID: runId, ATTUNE_RUN_DIR: join(root, runId), PATH: "/usr/bin:/bin" },
      stdio: "ignore",
      detached: true,
    });
  const [ours, others] = [orphan(join(run.folder, "inference"), "left-1"), orphan("/elsewhere/inference", "left-2")];
  await Promise.all([once(ours, "spawn"), once(others, "spawn")]);
  await run.sessions.start();
  expect(listFamily({ runId: "left-1", leader: undefined })).toEqual([]);
  expect(listFamily({ runId: "left-2", leader: undefined })).toContain(others.pid);
  process.kill(-(others.pid ?? 0), "SIGKILL");
});
