import { mkdtemp, readFile, rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { until } from "@attune/testkit/processes.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLogBounder } from "./bound-log.ts";
import { endGroup, listFamily } from "./end-group.ts";
import { type ExitRecord, readExitRecord } from "./exit-record.ts";
import { isRunning, type ProcessIdentity } from "./process-identity.ts";
import { readLogTail } from "./read-log-tail.ts";
import { spawnDetached } from "./spawn-detached.ts";

let folder = "";
let runId = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-launch-"));
  runId = randomUUID();
});
afterEach(async () => {
  await endGroup({ runId, leader: undefined }, { graceMs: 0 });
  await rm(folder, { recursive: true });
});

const launch = (program: string, args: readonly string[], memoryLimitMb?: number) =>
  spawnDetached({
    folder,
    program,
    args,
    env: { PATH: "/usr/bin:/bin", ATTUNE_RUN_ID: runId },
    memoryLimitMb,
    maxEventsBytes: 2 ** 20,
  });

async function exitOf(): Promise<ExitRecord> {
  for (;;) {
    const record = await readExitRecord(join(folder, "exit.json"));
    if (record !== undefined) return record;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const log = () => readFile(join(folder, "run.log"), "utf8");

test("the status, the output, and who leads the group", async () => {
  const leader = await launch("/bin/sh", ["-c", "echo out; echo err >&2; exit 3"]);
  expect(await exitOf()).toMatchObject({ code: 3, signal: null, spawn_error: null });
  expect(await log()).toBe("out\nerr\n");
  expect(JSON.parse(await readFile(join(folder, "launcher.json"), "utf8"))).toEqual(leader);
});

test("a signal that ended the program", async () => {
  await launch("/bin/sh", ["-c", "kill -9 $$"]);
  expect(await exitOf()).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("a program that is not there", async () => {
  await launch("/nowhere/python", []);
  expect(await exitOf()).toMatchObject({ code: null, signal: null, spawn_error: expect.stringContaining("ENOENT") });
});

test("what the program left behind is ended after the record was written", async () => {
  const leader = await launch("/bin/sh", ["-c", "trap '' TERM; sleep 300 & exit 0"]);
  expect(await exitOf()).toMatchObject({ code: 0 });
  await until(() => listFamily({ runId, leader }).length === 0, 10_000, "nothing is left");
});

test("SIGTERM to the group ends the program, and the launcher stays to tell", async () => {
  const leader = (await launch("/bin/sh", ["-c", "echo up; sleep 300"])) as ProcessIdentity;
  await until(() => statSync(join(folder, "run.log")).size > 0, 10_000, "it runs");
  process.kill(-leader.pid, "SIGTERM");
  expect(await exitOf()).toMatchObject({ code: null, signal: "SIGTERM" });
  await until(() => !isRunning(leader), 10_000, "the launcher is gone");
});

const node = (code: string): [string, string[]] => [process.execPath, ["-e", code]];
const holdFor = "setInterval(() => held.length, 60_000)";

test("a program that holds more memory than it may is ended, and the record says how much", async () => {
  await launch(...node(`const held = Buffer.alloc(300 * 2 ** 20, 1); ${holdFor}`), 200);
  const { signal, memory_excess } = await exitOf();
  expect({ signal, limit: memory_excess?.limit_bytes }).toEqual({ signal: "SIGKILL", limit: 200 * 2 ** 20 });
  expect(memory_excess?.used_bytes).toBeGreaterThan(200 * 2 ** 20);
});

test("a limit counts what all its processes hold, also one that left the group", async () => {
  const child = `const held = Buffer.alloc(90 * 2 ** 20, 1); ${holdFor}`;
  const options = "{ stdio: 'inherit', detached: true }";
  const start = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], ${options});`;
  const leader = await launch(...node(`${start} ${start} ${start} setInterval(() => {}, 60_000)`), 300);
  const { signal, memory_excess } = await exitOf();
  expect({ signal, limit: memory_excess?.limit_bytes }).toEqual({ signal: "SIGKILL", limit: 300 * 2 ** 20 });
  await until(() => listFamily({ runId, leader }).length === 0, 10_000, "nothing is left");
});

/** Four forks share what their parent holds. */
const forks = `
import os, time
held = b"x" * 150_000_000
for _ in range(4): os.fork() or (time.sleep(2), os._exit(0))
for _ in range(4): os.wait()`;

test.skipIf(!hasProgram("python3"))("what forks share is counted once", async () => {
  await launch("python3", ["-c", forks], 300);
  expect(await exitOf()).toMatchObject({ code: 0, memory_excess: null });
});

test("addresses that are only reserved, as CUDA does, are not memory that is held", async () => {
  const reserve = "const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 }); let held = [memory];";
  const size = "/VmSize:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[1]";
  await launch(...node(`${reserve} setTimeout(() => console.log(${size}), 1500)`), 300);
  expect(await exitOf()).toMatchObject({ code: 0, memory_excess: null });
  expect(Number(await log())).toBeGreaterThan(4 * 2 ** 20);
});

test("where the file system knows no holes, a log begins anew with its end", async () => {
  await launch("/bin/sh", ["-c", "seq 1 600000"]);
  await exitOf();
  const path = join(folder, "run.log");
  const bound = { maxBytes: 2 ** 20, headBytes: 8192, tailBytes: 256 * 1024 };
  await createLogBounder(path, bound, async () => false).check();
  expect(statSync(path).size).toBeLessThan(bound.maxBytes);
  expect(await log()).toMatch(/^\n\[\d+ bytes of this log were left out here/);
  expect(await readLogTail(path, { lines: 2 })).toEqual(["599999", "600000"]);
});

test("a log beyond its bound gives space back, says how much, and loses nothing of its end", async () => {
  const bound = { maxBytes: 2 ** 20, headBytes: 8192, tailBytes: 256 * 1024 };
  await launch("/bin/sh", ["-c", "seq 1 600000"]);
  await exitOf();
  const path = join(folder, "run.log");
  const bounder = createLogBounder(path, bound);
  await bounder.check();
  expect(statSync(path).blocks * 512).toBeLessThan(bound.maxBytes);
  const text = await log();
  expect(text.startsWith("1\n2\n3\n")).toBe(true);
  expect(text).toMatch(/\[\d+ bytes of this log were left out here/);
  const last = Array.from({ length: 200 }, (_, index) => String(599_801 + index));
  expect(await readLogTail(path, { lines: 200 })).toEqual(last);
  await bounder.check();
  expect(await log()).toBe(text);
});
