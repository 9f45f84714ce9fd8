/*
 * A program that speaks the protocol of `attune-serve` and holds no model: what it says, and how it goes wrong, stands in
 * `fake-worker.json` in the model's folder (fake-inference-worker-model.ts). Start it with Node, without arguments.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { FakeWorkerFault, FakeWorkerScript } from "./fake-inference-worker-model.ts";

interface Command {
  readonly cmd: string;
  readonly model_path?: string;
  readonly adapter_path?: string | null;
  readonly request_id?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly generation?: { readonly max_new_tokens?: number; readonly stop?: readonly string[] };
}

let script: FakeWorkerScript = {};
let adapter = "";
let seq = 0;
const cancelled = new Set<string>();

const has = (fault: FakeWorkerFault): boolean => script.faults?.includes(fault) === true;
const write = (text: string): void => void writeSync(1, text);
const emit = (type: string, fields: Readonly<Record<string, unknown>>): void => {
  const line = `${JSON.stringify({ v: 1, seq: ++seq, ts: Date.now() / 1000, type, ...fields })}\n`;
  if (!has("half-lines")) return write(line);
  const middle = Math.floor(line.length / 2);
  write(line.slice(0, middle));
  write(line.slice(middle));
};
const record = (did: string): void => {
  if (script.recordFile !== undefined)
    appendFileSync(script.recordFile, `${JSON.stringify({ did, pid: process.pid })}\n`);
};

emit("hello", { pid: process.pid, protocol: 1, versions: {} });
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => void obey(JSON.parse(line) as Command));
lines.once("close", () => {
  if (!has("ignore-end")) process.exit(0);
  setInterval(() => undefined, 1000);
});

async function obey(command: Command): Promise<void> {
  const { cmd, request_id: id = "" } = command;
  if (cmd === "load") await load(command);
  else if (cmd === "chat") await chat(id, command);
  else if (cmd === "cancel") {
    record("cancel");
    if (!has("ignore-cancel")) cancelled.add(id);
  } else if (cmd === "unload" && !has("ignore-end")) process.exit(0);
}

async function load({ model_path: path = "", adapter_path: adapterPath }: Command): Promise<void> {
  script = JSON.parse(readFileSync(join(path, "fake-worker.json"), "utf8")) as FakeWorkerScript;
  adapter = typeof adapterPath === "string" ? "[adapter] " : "";
  record("start");
  misbehave();
  for (const stage of ["config", "tokenizer", "weights"]) emit("progress", { stage, current: 1, total: 2 });
  if (script.loadMs !== undefined) await sleep(script.loadMs);
  if (has("hang-in-load")) return;
  if (has("die-in-load")) {
    writeSync(
      2,
      "Traceback (most recent call last):\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n",
    );
    process.exit(1);
  }
  if (has("load-error")) {
    emit("error", {
      request_id: null,
      code: "unsupported_architecture",
      message: "No such architecture.",
      hint: "Take another.",
    });
    process.exit(4);
  }
  emit("progress", { stage: "warmup" });
  const { concurrency = 1 } = script;
  emit("ready", { context_length: 2048, memory_bytes: 4096, concurrency, model_type: "llama", device: "cpu" });
}

function misbehave(): void {
  if (has("ignore-end")) process.on("SIGTERM", () => undefined);
  if (has("leave-children")) leaveChildren();
  if (has("other-protocol")) emit("hello", { pid: process.pid, protocol: 99, versions: {} });
  if (has("garbage")) {
    write(`Loading…\n{"type":"ready"\n\u0000\u0001\n[]\n{"type":"ready","concurrency":-1}\n${"x".repeat(400_000)}\n`);
  }
  if (has("flood-stderr")) for (let count = 0; count < 200; count++) writeSync(2, `${"flood ".repeat(1000)}\n`);
}

// One in the group, and one in a group and session of its own; both keep the pipes open.
function leaveChildren(): void {
  for (const detached of [false, true]) {
    const child = spawn("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { detached, stdio: "inherit" });
    child.unref();
  }
}

async function chat(id: string, { messages = [], generation = {} }: Command): Promise<void> {
  if (has("stall-in-chat")) return;
  if (has("error-in-chat")) {
    return emit("error", { request_id: id, code: "context_length_exceeded", message: "5000 tokens, and 2048 fit." });
  }
  let said = 0;
  let finish = "stop";
  for await (const token of tokensOf(messages.at(-1)?.content ?? "")) {
    finish = finishOf(id, said, generation.max_new_tokens);
    if (finish !== "stop" || generation.stop?.some((text) => token.includes(text)) === true) break;
    record("token");
    speak(id, said++, token);
  }
  emit("usage", { request_id: id, prompt_tokens: messages.length, completion_tokens: said });
  emit("finished", { request_id: id, finish });
}

function finishOf(id: string, said: number, most = Infinity): string {
  if (cancelled.has(id)) return "cancelled";
  return said >= most ? "length" : "stop";
}

function speak(id: string, i: number, text: string): void {
  if (has("die-in-chat") && i === 2) process.kill(process.pid, "SIGKILL");
  if (has("wrong-request")) emit("delta", { request_id: "nobody", i, text: "not for you" });
  if (has("garbage")) write(`{"type":"delta","request_id":"${id}"\n`);
  if (!(has("lose-delta") && i === 1)) emit("delta", { request_id: id, i, text });
}

async function* tokensOf(asked: string): AsyncGenerator<string> {
  const { tokens = `${adapter}You said: ${asked}`.match(/\s*\S+/g) ?? [], tokenMs, stepsFile } = script;
  const last = script.isEndless === true ? Infinity : tokens.length;
  for (let index = 0; index < last; index++) {
    if (stepsFile !== undefined) await permitted(stepsFile);
    // So that a cancellation is heard between two tokens.
    await (tokenMs === undefined ? new Promise((resolve) => setImmediate(resolve)) : sleep(tokenMs));
    yield tokens[index % tokens.length] ?? "";
  }
}

let steps = 0;
async function permitted(stepsFile: string): Promise<void> {
  steps++;
  while (statSync(stepsFile).size < steps && cancelled.size === 0) await sleep(5);
}
