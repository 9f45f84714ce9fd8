import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { expect, test } from "vitest";
import { openRunStore } from "./run-store.ts";
import { newRun } from "./submit-run.ts";
import { fakeRequest } from "./testing/fake-engine.ts";

test("what is written last is what was known last, however many write at once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "attune-store-"));
  const store = await openRunStore(folder, createLogger("store", "silent"));
  for (let round = 0; round < 30; round++) {
    const request = fakeRequest("succeed");
    const run = { ...newRun(request, { mode: "cpu" }), reason: "0" };
    await store.add(run, request.spec);
    const saves = [];
    for (let count = 1; count <= 5; count++) {
      store.put({ ...run, reason: String(count), state: count === 5 ? "stopped" : "stopping" });
      saves.push(store.save(run.jobId));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(saves);
    const record: unknown = JSON.parse(await readFile(store.paths(run.jobId).record, "utf8"));
    expect(record).toMatchObject({ reason: "5", state: "stopped" });
    expect(store.active()).toEqual([]);
    expect(await store.find(run.jobId)).toMatchObject({ state: "stopped" });
  }
  await rm(folder, { recursive: true });
});
