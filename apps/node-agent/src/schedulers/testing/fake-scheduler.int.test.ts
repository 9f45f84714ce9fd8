import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { describeScheduler } from "../scheduler.contract.ts";
import { createFakeScheduler } from "./create-fake-scheduler.ts";

const scheduler = createFakeScheduler(2);
const folder = mkdtempSync(join(tmpdir(), "runs-"));
afterAll(() => {
  scheduler.close();
  rmSync(folder, { recursive: true });
});

describeScheduler("fake", () => Promise.resolve({ scheduler, folder, gpus: 2, tellsGpus: true }));
