import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { dataFolderAt, makeDataFolder } from "../data-folder.ts";
import { takeLock } from "@attune/service-kit/instance-lock.ts";
import { runReset } from "./run-reset.ts";

let parent = "";
let folder = "";

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "reset-"));
  folder = join(parent, "data");
});

afterEach(() => rmSync(parent, { recursive: true }));

test("a data folder is deleted once it is confirmed", async () => {
  makeDataFolder(dataFolderAt(folder));
  await expect(runReset(folder, false)).rejects.toThrow(/all accounts, datasets, models and files.*reset --yes/);
  expect(existsSync(folder)).toBe(true);
  expect(await runReset(folder, true)).toContain("is deleted");
  expect(existsSync(folder)).toBe(false);
  expect(await runReset(folder, true)).toContain("nothing to delete");
});

test("nothing is deleted while Attune runs", async () => {
  makeDataFolder(dataFolderAt(folder));
  const lock = await takeLock(dataFolderAt(folder).lock);
  await expect(runReset(folder, true)).rejects.toThrow(`Attune is running (process ${process.pid})`);
  expect(existsSync(folder)).toBe(true);
  lock.release();
});

test.skipIf(!existsSync("/proc/self/environ"))(
  "nothing is deleted while a job of the node agent runs in it",
  async () => {
    makeDataFolder(dataFolderAt(folder));
    const ATTUNE_RUN_DIR = join(folder, "node/runs/a");
    const job = spawn(process.execPath, ["--eval", "console.log(1); setInterval(() => 1, 1000)"], {
      env: { ATTUNE_RUN_DIR },
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void job.kill("SIGKILL"));
    await once(job.stdout, "data");
    await expect(runReset(folder, true)).rejects.toThrow(`still run here (process ${job.pid})`);
    expect(existsSync(folder)).toBe(true);
    job.kill("SIGKILL");
    await once(job, "close");
    expect(await runReset(folder, true)).toContain("is deleted");
  },
);

test("a folder that held other things before is never deleted", async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "thesis.txt"), "years of work");
  makeDataFolder(dataFolderAt(folder));
  await expect(runReset(folder, true)).rejects.toThrow(/was not made by Attune/);
  expect(existsSync(join(folder, "thesis.txt"))).toBe(true);
});
