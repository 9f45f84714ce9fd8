import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Command } from "../engines/run-command.ts";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { findCommandSandbox } from "./command-sandbox.ts";
import { createGroupGuard } from "./group-guard.ts";
import { findLimitTools } from "./limit-command.ts";
import { createRunCommand } from "./run-command.ts";

const workFolder = mkdtempSync(join(tmpdir(), "run-command-test-"));
const guard = createGroupGuard();
const runCommand = createRunCommand({ guard, workFolder, concurrency: 20 });
const hasFence = (await findCommandSandbox()) !== undefined;
if (!hasFence) console.log("Commands without network are not tested: bubblewrap does not work here.");
const noSignal = new AbortController().signal;
const { prlimit } = await findLimitTools();
const isPosix = process.platform !== "win32";

afterAll(async () => {
  guard.close();
  await rm(workFolder, { recursive: true, force: true });
});

async function sh(script: string, rest: Partial<Command> = {}, signal = noSignal) {
  const command = { file: "sh", args: ["-c", script], timeoutMs: 10_000, maxOutputBytes: 1 << 20, ...rest };
  const { stdout, waitedMs: _waitedMs, ...result } = await runCommand(command, signal);
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
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    await until(() => !output.trim().split("\n").map(Number).some(isAlive));
  });

  it("is killed with all it started when the caller goes, and rejects with the caller's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("the caller has gone");
    const running = sh("sleep 60 & sleep 60", {}, controller.signal);
    setTimeout(() => controller.abort(reason), 200);
    const abortedAtMs = performance.now();
    await expect(running).rejects.toBe(reason);
    expect(performance.now() - abortedAtMs).toBeLessThan(20_000);
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
    const { output } = await sh("setsid sh -c 'sleep 20' & echo done");
    expect(output).toBe("done\n");
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
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

describe.skipIf(!isPosix)("commands when only one may run", () => {
  const runOne = createRunCommand({ guard, workFolder, concurrency: 1 });
  const shell = (script: string): Command => ({
    file: "sh",
    args: ["-c", script],
    timeoutMs: 10_000,
    maxOutputBytes: 100,
  });

  it("run one after the other, and their time does not run while they wait", async () => {
    const place = join(workFolder, "taken");
    const script = `mkdir ${place} && sleep 1 && rmdir ${place}`;
    const command = { ...shell(script), timeoutMs: 2500 };
    const ends = await Promise.all([1, 2, 3, 4].map(() => runOne(command, noSignal)));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(ends[3]?.waitedMs).toBeGreaterThan(2900);
    expect(ends[0]?.waitedMs).toBeLessThan(ends[3]?.waitedMs ?? 0);
  });

  it("leave the line when their caller goes, and probes do not stand in it", async () => {
    const controller = new AbortController();
    const running = runOne(shell("sleep 4"), noSignal);
    let isOver = false;
    const over = running.then(() => (isOver = true));
    const waiting = runOne(shell("echo 1"), controller.signal);
    const next = runOne(shell("echo 2"), noSignal);
    expect((await runOne({ ...shell("echo"), isProbe: true }, noSignal)).exitCode).toBe(0);
    setTimeout(() => controller.abort("gone"), 50);
    await expect(waiting).rejects.toBe("gone");
    expect(isOver).toBe(false);
    await over;
    expect(Buffer.from((await next).stdout).toString()).toBe("2\n");
  });

  it("make place however they end", async () => {
    const missing = { ...shell(""), file: "no-such-program" };
    await expect(runOne(missing, noSignal)).rejects.toMatchObject({ reason: "ENGINE_UNAVAILABLE" });
    await expect(runOne(shell("yes"), noSignal)).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
    expect((await runOne({ ...shell("sleep 9"), timeoutMs: 100 }, noSignal)).isTimedOut).toBe(true);
    expect((await runOne(shell("echo"), noSignal)).exitCode).toBe(0);
  });
});

describe.skipIf(!hasFence)("a command that is told its files", () => {
  const files = { readable: [], writable: [] };

  it("has no network", async () => {
    await using server = await startHttpFixture((_request, response) => response.end("reached"));
    const script = `fetch("${server.origin}").then(() => "reached", (error) => error.cause.code).then(console.log)`;
    const command = { file: process.execPath, args: ["-e", script], timeoutMs: 10_000, maxOutputBytes: 1000 };
    const free = await runCommand(command, noSignal);
    expect(Buffer.from(free.stdout).toString()).toBe("reached\n");
    const fenced = await runCommand({ ...command, files }, noSignal);
    expect(Buffer.from(fenced.stdout).toString()).toMatch(/^E[A-Z]+\n$/);
    expect(server.requests).toHaveLength(1);
  });

  it("sees what is installed and its own files, and writes only where it may", async () => {
    const own = mkdtempSync(join(tmpdir(), "own-"));
    const given = join(own, "given");
    const other = join(own, "other");
    const output = mkdtempSync(join(tmpdir(), "output-"));
    writeFileSync(given, "given\n");
    writeFileSync(other, "other\n");
    try {
      const script = `cat ${given}; cat ${other}; ls /usr/bin | grep -c . ; cd "$HOME" && echo home > x && cat x
        echo new > ${output}/new; echo bad > ${given}; echo bad > /etc/bad; ls /proc | grep -c '^[0-9]'`;
      const result = await sh(script, { files: { readable: [given], writable: [output] } });
      expect(result.output).toMatch(/^given\n\d+\nhome\n\d\n$/);
      expect(readFileSync(join(output, "new"), "utf8")).toBe("new\n");
      expect(readFileSync(given, "utf8")).toBe("given\n");
    } finally {
      await Promise.all([own, output].map((folder) => rm(folder, { recursive: true, force: true })));
    }
  });

  it("sees nothing of the folders that hold the files of others", async () => {
    const spool = mkdtempSync(join(import.meta.dirname, "../../../../node_modules/.spool-test-"));
    writeFileSync(join(spool, "mine"), "mine\n");
    writeFileSync(join(spool, "of-another"), "other\n");
    try {
      const run = createRunCommand({ guard, workFolder, hiddenPaths: [spool] });
      const command = { file: "ls", args: [spool], timeoutMs: 5000, maxOutputBytes: 1000 };
      const told = { readable: [join(spool, "mine")], writable: [] };
      expect(Buffer.from((await run({ ...command, files: told }, noSignal)).stdout).toString()).toBe("mine\n");
    } finally {
      await rm(spool, { recursive: true, force: true });
    }
  });

  it("dies with all it started when the caller goes", async () => {
    const controller = new AbortController();
    const seconds = `61.${process.pid}`;
    const running = sh(`sleep ${seconds} & setsid sleep ${seconds} & wait`, { files }, controller.signal);
    const isRunning = () =>
      readdirSync("/proc").some((id) => /^\d+$/.test(id) && commandLine(id).includes(`sleep\0${seconds}`));
    await until(isRunning);
    controller.abort("gone");
    await expect(running).rejects.toBe("gone");
    await until(() => !isRunning());
  });

  it.skipIf(prlimit === undefined)("keeps its limits of memory and of what it writes", async () => {
    const script = "dd if=/dev/zero of=/dev/null bs=128M count=1 && echo done";
    expect((await sh(script, { files, memoryMib: 64 })).output).toBe("");
    expect((await sh(script, { files, memoryMib: 512 })).output).toBe("done\n");
    const writing = 'head -c 20000 /dev/zero > "$HOME/x"; wc -c < "$HOME/x"';
    expect((await sh(writing, { files, maxFileBytes: 10_000 })).output.trim()).toBe("10000");
  });
});

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
