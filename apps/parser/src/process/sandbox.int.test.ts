import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chooseSandbox } from "./choose-sandbox.ts";
import { createSandbox, findSandboxTools, type IsolationLevel, type SandboxSettings } from "./sandbox.ts";
import { createTextTail } from "./text-tail.ts";

const settings: SandboxSettings = {
  memoryMib: 256,
  nodePath: process.execPath,
  readablePaths: [fileURLToPath(new URL(".", import.meta.url))],
};
const tools = await findSandboxTools(process.execPath);
const refusal = await chooseSandbox("bubblewrap", settings).then(
  () => undefined,
  (error: Error) => error.message,
);
if (refusal !== undefined) process.stderr.write(`skipped: ${refusal}\n`);
const hasBubblewrap = refusal === undefined;
const hasProcess = tools.prlimit !== undefined && tools.setpriv !== undefined;

/** Runs a script at a level, without Node's own permission model in the way, and gives what it says on descriptor 3. */
async function runAt(level: IsolationLevel, script: string): Promise<unknown> {
  const flags = ["--allow-child-process", "--allow-fs-write=*", "--allow-fs-read=*"];
  const answer = createTextTail(10_000);
  const { child, channel, stderr } = createSandbox(level, settings, tools).spawnNode([...flags, "-e", script]);
  const complaint = createTextTail(10_000);
  channel.on("data", (chunk: Buffer) => answer.add(chunk));
  stderr.on("data", (chunk: Buffer) => complaint.add(chunk));
  await new Promise((resolve) => child.once("close", resolve));
  const text = answer.read();
  if (text === "") throw new Error(`no answer: ${complaint.read()}`);
  return JSON.parse(text) as unknown;
}

const tell = (expression: string) => `
const fs = require("node:fs");
const attempt = (act) => { try { return act() ?? "done"; } catch (error) { return error.code ?? error.message; } };
Promise.resolve(${expression}).then((value) => fs.writeSync(3, JSON.stringify(value ?? null)));
`;

const fork = tell(
  `(() => { const { error } = require("node:child_process").spawnSync(process.execPath, ["-v"]); return error?.code ?? "ran"; })()`,
);
const listen = tell(`new Promise((resolve) => {
  const server = require("node:net").createServer();
  server.once("error", (error) => resolve(error.code)).listen(0, "127.0.0.1", () => { server.close(); resolve("listens"); });
})`);

describe.skipIf(!hasBubblewrap)("a program behind bubblewrap", () => {
  it("sees none of the machine's files but libraries and what it was given", async () => {
    const seen = await runAt("bubblewrap", tell(`fs.readdirSync("/").sort()`));
    for (const hidden of ["home", "root", "proc", "dev", "sys", "var", "bin", "run"])
      expect(seen).not.toContain(hidden);
    expect(await runAt("bubblewrap", tell(`attempt(() => fs.readFileSync("/etc/passwd", "utf8"))`))).toBe("ENOENT");
    expect(await runAt("bubblewrap", tell(`attempt(() => fs.readdirSync("/usr/bin").join())`))).toBe("ENOENT");
  });

  it("cannot write", async () => {
    expect(await runAt("bubblewrap", tell(`attempt(() => fs.writeFileSync("/x", "x"))`))).toBe("EROFS");
    expect(await runAt("bubblewrap", tell(`attempt(() => fs.writeFileSync("/tmp/x", "x"))`))).toBe("EFBIG");
    const given = JSON.stringify(`${settings.readablePaths[0]}x`);
    expect(await runAt("bubblewrap", tell(`attempt(() => fs.writeFileSync(${given}, "x"))`))).toBe("EROFS");
  });

  it("has no network", async () => {
    expect(await runAt("bubblewrap", listen)).toMatch(/EPERM|EACCES/);
  });

  it("cannot start another program", async () => {
    expect(await runAt("bubblewrap", fork)).toBe("EPERM");
  });

  it("sees no other process", async () => {
    expect(await runAt("bubblewrap", tell(`process.pid < 10 && process.ppid < 10`))).toBe(true);
    expect(await runAt("bubblewrap", tell(`attempt(() => process.kill(${process.pid}, 0) && "reached")`))).toBe(
      "ESRCH",
    );
  });

  it("has no environment but language and time zone", async () => {
    expect(await runAt("bubblewrap", tell(`Object.keys(process.env).sort()`))).toEqual(["LANG", "PWD", "TZ"]);
  });
});

describe.skipIf(!hasProcess)("a program under kernel limits", () => {
  it("has no environment but language and time zone", async () => {
    expect(await runAt("process", tell(`Object.keys(process.env).sort()`))).toEqual(["LANG", "TZ"]);
  });

  it("cannot write a file", async () => {
    const path = JSON.stringify(fileURLToPath(new URL("./written-by-test", import.meta.url)));
    const code = await runAt(
      "process",
      tell(
        `attempt(() => { try { fs.writeFileSync(${path}, "x"); } finally { fs.rmSync(${path}, { force: true }); } })`,
      ),
    );
    expect(code).toBe("EFBIG");
  });

  it("is refused memory beyond its cap, outside the JavaScript heap too", async () => {
    const allocate = (mib: number) => tell(`attempt(() => { Buffer.alloc(${mib} * 1048576, 1); })`);
    expect(await runAt("process", allocate(128))).toBe("done");
    expect(await runAt("process", allocate(300))).not.toBe("done");
  });

  it("can never gain rights", async () => {
    expect(await runAt("process", tell(`/NoNewPrivs:\\s*1/.test(fs.readFileSync("/proc/self/status", "utf8"))`))).toBe(
      true,
    );
  });
});

describe("choosing a sandbox", () => {
  it("says why a level that is demanded cannot be had, and what to do", async () => {
    const broken = { ...settings, nodePath: "/no/such/node" };
    await expect(chooseSandbox("bubblewrap", broken)).rejects.toThrow(
      /PARSER_ISOLATION=bubblewrap cannot be reached here\. bubblewrap: .+ Install bubblewrap .+ PARSER_ISOLATION=process/,
    );
  });

  it("takes the best level that works", async () => {
    const { sandbox, refusals } = await chooseSandbox("auto", settings);
    expect(sandbox.level).toBe(hasBubblewrap ? "bubblewrap" : hasProcess ? "process" : "none");
    expect(refusals).toHaveLength(hasBubblewrap ? 0 : hasProcess ? 1 : 2);
  });
});
