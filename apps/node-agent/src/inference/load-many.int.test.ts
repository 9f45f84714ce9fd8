import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { descendantsOf } from "@attune/testkit/processes.ts";
import { findWithVariable } from "../process/read-processes.ts";
import { startTestInference } from "./inference.fixture.ts";

const openFiles = (): number => readdirSync("/proc/self/fd").length;

test("100 loads and unloads leave no process and no open file", { timeout: 180_000 }, async () => {
  await using run = await startTestInference({ gpuCount: 2, maxModels: 8 });
  const path = await run.makeModel();
  const once = async (index: number): Promise<void> => {
    const task = { task_id: `task-${index % 4}` };
    const session = await run.loaded({ model_path: path, gpus: index % 2 === 0 ? 0 : 1, ...task });
    expect(session).toMatchObject({ state: "ready", reason: null });
    expect(await run.sessions.unload(task)).toMatchObject({ success: true, load_id: session.load_id });
  };
  await once(0);
  // The guard that watches the processes stays.
  const [processes, files] = [descendantsOf(process.pid).length, openFiles()];
  const memoryBefore = process.memoryUsage.rss();
  for (let round = 0; round < 25; round++) {
    // The two that want a GPU have one each.
    await Promise.all([0, 1, 2, 3].map((index) => once(index)));
  }
  expect(descendantsOf(process.pid)).toHaveLength(processes);
  expect(openFiles()).toBe(files);
  expect(findWithVariable("ATTUNE_RUN_DIR").filter(({ value }) => value.startsWith(run.folder))).toEqual([]);
  expect(run.leases.list()).toEqual([]);
  expect(run.sessions.status({})).toEqual([]);
  const grownMb = (process.memoryUsage.rss() - memoryBefore) / 2 ** 20;
  console.log(`Resident memory after 100 loads and unloads: ${grownMb >= 0 ? "+" : ""}${grownMb.toFixed(1)} MB.`);
});
