import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Command } from "../engines/run-command.ts";
import { createGroupGuard } from "./group-guard.ts";
import { findLimitTools } from "./limit-command.ts";
import { createRunCommand } from "./run-command.ts";

const workFolder = mkdtempSync(join(tmpdir(), "run-command-test-"));
const guard = createGroupGuard();
const runCommand = createRunCommand({ guard, workFolder });
const noSignal = new AbortController().signal;
const { prlimit } = await findLimitTools();
const isPosix = process.platform !== "win32";

afterAll(async () => {
  guard.close();
  await rm(workFolder, { recursive: true, force: true });
});

async function sh(script: string, rest: Partial<Command> = {}, signal = noSignal) {
  const command = { file: "sh", args: ["-c", script], timeoutMs: 10_000, maxOutputBytes: 1 << 20, ...rest };
  const { stdout, ...result } = await runCommand(command, signal);
  return { ...result, output: Buffer.from(stdout).toString() };
}

// A process that has ended but was not yet taken note of by its new parent is a zombie.
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    return process.platform !== "linux" && (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

async function until(holds: () => boolean, timeoutMs = 2000): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > endsAtMs) throw new Error(`not within ${timeoutMs} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.skipIf(!isPosix)("a command", () => {
  it("gives its output, its complaints and its exit code", async () => {
    const result = await sh("echo out; echo complaint >&2; exit 3");
    expect(result).toEqual({
      output: "out\n",
      stderr: "complaint\n",
      exitCode: 3,
      signal: undefined,
      isTimedOut: false,
    });
  });

  it("reads what it is given, whole", async () => {
    const { output } = await sh("wc -c", { stdin: new Uint8Array(8 << 20) });
    expect(output.trim()).toBe(String(8 << 20));
  });

  it("may end without reading what it is given", async () => {
    const { exitCode } = await sh("exec 0<&-; exit 0", { stdin: new Uint8Array(8 << 20) });
    expect(exitCode).toBe(0);
  });

  it("sees an empty environment but for what it needs and what is given", async () => {
    const { output } = await sh("env | cut -d= -f1 | sort", { env: { GIVEN: "1" } });
    const names = output.trim().split("\n");
    expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name))).toEqual([
      "GIVEN",
      "HOME",
      "LANG",
      "PATH",
      "TMPDIR",
    ]);
  });

  it("has a home of its own, which goes when it ends", async () => {
    const { output } = await sh('cd "$HOME" && pwd && touch left-over && ls');
    expect(output).toContain(workFolder);
    expect(output).toContain("left-over");
    expect(readdirSync(workFolder)).toEqual([]);
  });

  it("is killed with all it started when its time is up", async () => {
    const startedAtMs = performance.now();
    const { output, isTimedOut, signal } = await sh("sleep 60 & echo $!; echo $$; sleep 60", { timeoutMs: 300 });
    expect({ isTimedOut, signal }).toEqual({ isTimedOut: true, signal: "SIGKILL" });
    expect(performance.now() - startedAtMs).toBeLessThan(2000);
    await until(() => !output.trim().split("\n").map(Number).some(isAlive));
  });

  it("is killed with all it started when the caller goes, and rejects with the caller's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("the caller has gone");
    const running = sh("sleep 60 & sleep 60", {}, controller.signal);
    setTimeout(() => controller.abort(reason), 200);
    const abortedAtMs = performance.now();
    await expect(running).rejects.toBe(reason);
    expect(performance.now() - abortedAtMs).toBeLessThan(2000);
    expect(readdirSync(workFolder)).toEqual([]);
  });

  it("does not start for a caller who has gone already", async () => {
    await expect(sh("echo 1", {}, AbortSignal.abort("gone"))).rejects.toBe("gone");
  });

  it("leaves nothing running in the background when it ends by itself", async () => {
    const { output, exitCode } = await sh("sleep 60 >/dev/null 2>&1 & echo $!");
    expect(exitCode).toBe(0);
    await until(() => !isAlive(Number(output)));
  });

  it("ends even when a process that left its group holds the output open", async () => {
    const startedAtMs = performance.now();
    const { output } = await sh("setsid sh -c 'sleep 4' & echo done");
    expect(output).toBe("done\n");
    expect(performance.now() - startedAtMs).toBeLessThan(3500);
  });

  it("is stopped when it writes too much", async () => {
    await expect(sh("yes", { maxOutputBytes: 10_000 })).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });

  it("keeps only the end of what it complains", async () => {
    const { stderr } = await sh("i=0; while [ $i -lt 3000 ]; do echo complaint $i >&2; i=$((i+1)); done");
    expect(stderr.length).toBe(8192);
    expect(stderr.endsWith("complaint 2999\n")).toBe(true);
  });

  it("that does not exist is an unavailable engine", async () => {
    const command = { file: "no-such-program", args: [], timeoutMs: 1000, maxOutputBytes: 10 };
    await expect(runCommand(command, noSignal)).rejects.toMatchObject({
      reason: "ENGINE_UNAVAILABLE",
      details: { detail: "The program no-such-program was not found." },
    });
  });

  it("whose folder does not exist is an unavailable engine", async () => {
    await expect(sh("echo 1", { cwd: "/no/such/folder" })).rejects.toMatchObject({ reason: "ENGINE_UNAVAILABLE" });
  });

  it.skipIf(prlimit === undefined)("gets no more memory than it may have", async () => {
    const script = "dd if=/dev/zero of=/dev/null bs=128M count=1 && echo done";
    expect((await sh(script, { memoryMib: 64 })).output).toBe("");
    expect((await sh(script, { memoryMib: 512 })).output).toBe("done\n");
  });

  it("of many at once each gets its own output", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => sh(`echo ${index}`)));
    expect(results.map(({ output }) => output.trim())).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
  });
});
