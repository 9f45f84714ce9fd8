import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProcessAlive } from "@attune/service-kit/postgres/process-mark.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createEngineProcesses } from "../create-engine-processes.ts";
import { createPythonSetup, type PythonSetup } from "./python-setup.ts";

const wait = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A set-up whose program is this script. */
function make(script: string, pauseMs?: number): { readonly setup: PythonSetup; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "attune-setup-"));
  folders.push(folder);
  const path = join(folder, "setup.mjs");
  writeFileSync(path, script);
  const environment = { PATH: process.env["PATH"], HTTPS_PROXY: "http://proxy.test", SECRET_TOKEN: "never" };
  const processes = createEngineProcesses(environment);
  const setup = createPythonSetup({
    processes,
    environment,
    folder,
    command: { program: process.execPath, args: [path] },
    logger: createLogger("test", "silent"),
    ...(pauseMs !== undefined && { pauseMs }),
  });
  onTestFinished(async () => {
    await setup.close();
    processes.close();
  });
  return { setup, folder };
}

test("tells the step it is at, and is done when the program is", async () => {
  const { setup, folder } = make(`
    import { existsSync } from "node:fs";
    console.log("2/5 PyTorch (189 MB)");
    setInterval(() => existsSync("go") && process.exit(0), 10);
  `);
  expect(setup.story()).toBeUndefined();
  setup.begin();
  setup.begin();
  await wait(() => expect(setup.story()).toMatch(/being set up, for \d+ s now: 2\/5 PyTorch \(189 MB\)\./));
  writeFileSync(join(folder, "go"), "");
  await wait(() => expect(setup.story()).toBeUndefined());
  expect(setup.timesDone).toBe(1);
});

test("says why it failed, and tries again only after a while", async () => {
  const script = `
    import { appendFileSync } from "node:fs";
    appendFileSync("tries", "x");
    console.log("1/5 a folder");
    console.error("No space left on device.");
    process.exitCode = 1;
  `;
  const { setup, folder } = make(script, 300);
  const tries = (): number => readFileSync(join(folder, "tries"), "utf8").length;
  setup.begin();
  await wait(() => expect(setup.story()).toContain("failed: No space left on device. All that was said"));
  expect(readFileSync(join(folder, "python-setup.log"), "utf8")).toContain("1/5 a folder");
  setup.begin();
  expect(tries()).toBe(1);
  await wait(() => {
    setup.begin();
    expect(tries()).toBe(2);
  });
  expect(setup.timesDone).toBe(0);
});

test("gets what pip needs for its way out, and no secrets", async () => {
  const { setup, folder } = make(`
    import { writeFileSync } from "node:fs";
    writeFileSync("env", JSON.stringify(process.env));
  `);
  setup.begin();
  await wait(() => expect(setup.timesDone).toBe(1));
  const env = JSON.parse(readFileSync(join(folder, "env"), "utf8")) as object;
  expect(env).toMatchObject({ HTTPS_PROXY: "http://proxy.test" });
  expect(env).not.toHaveProperty("SECRET_TOKEN");
});

test("ends with the agent, and begins no more", async () => {
  const { setup, folder } = make(`
    import { writeFileSync } from "node:fs";
    writeFileSync("pid", String(process.pid));
    setInterval(() => undefined, 1000);
  `);
  setup.begin();
  await wait(() => expect(existsSync(join(folder, "pid"))).toBe(true));
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  await setup.close();
  expect(isProcessAlive(pid)).toBe(false);
  rmSync(join(folder, "pid"));
  setup.begin();
  expect(setup.story()).toContain("failed");
});
