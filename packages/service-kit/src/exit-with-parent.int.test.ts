import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { isProcessAlive } from "./postgres/process-mark.ts";
import { parseSupervisorMessage } from "./supervisor-messages.ts";

// What takes a second takes many where other work fills the machine.
vi.setConfig({ testTimeout: 300_000 });

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "exit-with-parent-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A program that lives until it is ended; `stop` is the body of its stop function. */
function writeService(name: string, stop: string, before = ""): string {
  const path = join(folder, `${name}.ts`);
  writeFileSync(
    path,
    `${before}
     import { exitWithParent } from ${JSON.stringify(join(import.meta.dirname, "exit-with-parent.ts"))};
     import { tellSupervisor } from ${JSON.stringify(join(import.meta.dirname, "supervisor-messages.ts"))};
     exitWithParent(async () => { ${stop} }, 500);
     console.log("told", tellSupervisor({ type: "ready", url: "http://127.0.0.1:1" }));
     setInterval(() => console.log("alive"), 20);`,
  );
  return path;
}

function start(path: string): ChildProcess {
  const child = fork(path, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A parent that starts the service, tells its process id, and waits to be killed. */
async function startThroughParent(path: string): Promise<{ readonly parent: ChildProcess; readonly pid: number }> {
  const code = `
    const child = require("node:child_process").fork(${JSON.stringify(path)}, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    child.once("message", () => console.log(child.pid));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [pid] = (await once(parent.stdout, "data")) as [Buffer];
  return { parent, pid: Number(pid.toString()) };
}

/** Whether the process ends; minutes are given to it. */
async function ends(pid: number): Promise<boolean> {
  for (const endMs = performance.now() + 120_000; performance.now() < endMs; await sleep(20)) {
    if (!isProcessAlive(pid)) return true;
  }
  return false;
}

test("a service stops in order when its parent goes", async () => {
  const child = start(writeService("orderly", "console.log('stopping');"));
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [message] = (await once(child, "message")) as [unknown];
  child.disconnect();
  const [code] = (await once(child, "exit")) as [number];

  expect(parseSupervisorMessage(message)).toEqual({ type: "ready", url: "http://127.0.0.1:1" });
  expect(code).toBe(0);
  expect(output).toContain("told true");
  expect(output).toContain("stopping");
});

test("kill -9 of the parent ends the service, though nobody reads its output any more", async () => {
  const { parent, pid } = await startThroughParent(writeService("orphan", "console.log('stopping');"));
  parent.kill("SIGKILL");
  expect(await ends(pid)).toBe(true);
});

test("a service whose stop does not end is ended", async () => {
  const { parent, pid } = await startThroughParent(writeService("stuck", "await new Promise(() => {});"));
  parent.kill("SIGKILL");
  expect(await ends(pid)).toBe(true);
});

test("a parent that goes while the service still loads is noticed", async () => {
  const child = start(writeService("slow", "", `await new Promise((go) => process.once("disconnect", go));`));
  child.disconnect();
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a service that was started without a channel lives on", async () => {
  const child = spawn(process.execPath, [writeService("alone", "")], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  expect(output.toString()).toContain("told false");
  await once(child.stdout, "data");
  expect(child.exitCode).toBeNull();
});
