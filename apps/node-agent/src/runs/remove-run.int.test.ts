import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRemoval } from "./remove-run.ts";
import { fakeRequest } from "./testing/fake-engine.ts";
import { startRuns, type TestRuns, untilEnded } from "./testing/start-runs.ts";

let folder = "";
let agent: TestRuns;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-removal-"));
  agent = await startRuns({ dataFolder: folder });
});
afterEach(async () => {
  await agent.close();
  await rm(folder, { recursive: true });
});

/** A run that has ended, and its removal from a disk that does as `discard` says. */
async function removalFrom(discard: () => Promise<void>, inTurn = <T>(work: () => Promise<T>) => work()) {
  const { job_id } = await agent.runs.submit(fakeRequest("succeed"));
  await untilEnded(agent.runs, job_id);
  await expect.poll(() => agent.store.active(), { timeout: 10_000 }).toEqual([]);
  const store = { ...agent.store, takeOut: async () => discard };
  const remove = createRemoval({ store, usersOf: () => [], logger: createLogger("removal", "silent") }, inTurn);
  return () => remove(job_id);
}

test("a disk that does not let go of files is told", async () => {
  const remove = await removalFrom(() => Promise.reject(Object.assign(new Error("broken"), { code: "EIO" })));
  await expect(remove()).rejects.toThrow(/RUN_NOT_REMOVED.*EIO/);
});

test("what is left of a removed run and cannot be removed does not keep the agent from starting", async (context) => {
  const held = join(agent.store.root, ".old-1/held");
  mkdirSync(held, { recursive: true });
  const isHeld = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", held]).status === 0;
  if (!isHeld) context.skip("a folder that cannot be removed takes a mount, which is not allowed here");
  try {
    await agent.close();
    agent = await startRuns({ dataFolder: folder });
    expect(existsSync(held)).toBe(true);
    expect((await agent.runs.list({ limit: 5 })).jobs).toEqual([]);
  } finally {
    spawnSync("umount", [held]);
  }
});

test("many gigabytes that are being removed hold up nothing else", async () => {
  const removing = Promise.withResolvers<void>();
  let isOver = false;
  const inTurn = async <T>(work: () => Promise<T>) => {
    const result = await work();
    isOver = true;
    return result;
  };
  const removed = (await removalFrom(() => removing.promise, inTurn))();
  await expect.poll(() => isOver).toBe(true);
  removing.resolve();
  await removed;
});
