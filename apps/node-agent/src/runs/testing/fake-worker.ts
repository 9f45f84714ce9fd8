/**
 * A worker that speaks the protocol of events and does what its mode says: `fake-worker.ts MODE`. With it most faults are
 * injected without any library of training.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [mode = "succeed", rankText = "0"] = process.argv.slice(2);
// oxlint-disable-next-line node/no-process-env -- it is a program of its own
const { ATTUNE_EVENTS: eventsPath = "", ATTUNE_CONTROL: controlPath = "", ATTUNE_RUN_DIR: folder = "" } = process.env;
const rank = Number(rankText);
let seq = 0;
const stop = { isAsked: false };
process.on("SIGTERM", () => {
  stop.isAsked = true;
});

const envelope = (type: string, fields: object) => ({ v: 1, seq: ++seq, ts: Date.now() / 1000, type, rank, ...fields });
const raw = (text: string) => appendFileSync(eventsPath, text);
const emit = (type: string, fields: object = {}) => raw(`${JSON.stringify(envelope(type, fields))}\n`);
const say = (text: string) => writeSync(2, `${text}\n`);
const hello = () => emit("hello", { pid: process.pid, protocol: 1 });
const step = (number: number, total = 5) =>
  emit("metrics", { split: "train", step: number, total, epoch: 0, metrics: { loss: 1 / number } });
const die = (signal: NodeJS.Signals) => process.kill(process.pid, signal);
const forever = () => sleep(3_600_000);

function artifact(name: string, text: string): void {
  mkdirSync(join(folder, "output"), { recursive: true });
  writeFileSync(join(folder, "output", name), text);
  const checksum = createHash("sha256").update(text).digest("hex");
  emit("artifact", { path: `output/${name}`, size_bytes: text.length, checksum_sha256: checksum, role: "adapter" });
}

async function train(steps = 5, pauseMs = 1): Promise<void> {
  hello();
  emit("phase", { name: "train", state: "start" });
  for (let number = 1; number <= steps && !stop.isAsked; number++) {
    step(number, steps);
    say(`step ${number}`);
    await sleep(pauseMs);
  }
}

function finish(): void {
  artifact("adapter_model.safetensors", "weights");
  emit("done", { status: "succeeded", step: 5, seconds: 1 });
}

const failWith = (code: string, message: string) => () => {
  hello();
  say(`Traceback: ${message}`);
  emit("error", { code, message });
  process.exitCode = 1;
};

/** Runs until it is stopped, saves, which takes a while, and says so. */
async function trainUntilStopped(savingMs = 0): Promise<void> {
  let number = 0;
  hello();
  while (!stop.isAsked) {
    step(++number, 100_000);
    await sleep(20);
  }
  await sleep(savingMs);
  const isInControl = readFileSync(controlPath, "utf8").includes('"cmd":"stop"');
  say(`stop asked, in the control file: ${isInControl}`);
  emit("checkpoint", { path: "checkpoint-7", step: number, bytes: 10, reason: "cancel", complete: true });
  emit("done", { status: "cancelled", step: number });
}

const self = process.argv[1] ?? "";
const startChild = (childMode: string, childRank = "0") =>
  spawn(process.execPath, [self, childMode, childRank], { stdio: "inherit" });

const modes: Readonly<Record<string, () => void | Promise<void>>> = {
  succeed: async () => {
    await train();
    finish();
  },
  /** Takes its time, so that things can happen meanwhile. */
  slow: async () => {
    await train(40, 50);
    finish();
  },
  "until-stopped": () => trainUntilStopped(),
  "saves-slowly": () => trainUntilStopped(2000),
  "exit-0-silent": () => train(2),
  "done-then-crash": async () => {
    await train();
    finish();
    die("SIGSEGV");
    await forever();
  },
  "done-without-artifacts": async () => {
    await train();
    emit("artifact", { path: "output/missing.bin", size_bytes: 3, checksum_sha256: "0".repeat(64), role: "model" });
    emit("done", { status: "succeeded" });
  },
  "done-short-artifact": async () => {
    await train();
    artifact("model.bin", "whole");
    writeFileSync(join(folder, "output/model.bin"), "wh");
    emit("done", { status: "succeeded" });
  },
  "done-empty-output": async () => {
    await train();
    emit("done", { status: "succeeded" });
  },
  "artifact-outside": async () => {
    await train();
    emit("artifact", { path: "../../../etc/passwd", size_bytes: 3, checksum_sha256: "0".repeat(64), role: "model" });
    emit("done", { status: "succeeded" });
  },
  "error-then-done": async () => {
    failWith("disk_full", "no room")();
    emit("done", { status: "succeeded" });
  },
  "file-not-found": failWith("file_not_found", "There is no file /models/none/config.json."),
  "model-corrupt": failWith("model_corrupt", "model.safetensors: header too large"),
  "unknown-code": failWith("of_another_world", "something new"),
  "disk-full-log": () => {
    hello();
    say("OSError: [Errno 28] No space left on device");
    process.exitCode = 1;
  },
  "exit-out-of-memory": () => {
    hello();
    say("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB");
    process.exitCode = 5;
  },
  "nccl-timeout": () => {
    hello();
    say("[rank0]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12) ran for 600000 ms");
    die("SIGABRT");
    return forever();
  },
  "no-hello-import-error": () => {
    say("ModuleNotFoundError: No module named 'trl'");
    process.exitCode = 1;
  },
  "kill-self": async () => {
    await train(3);
    die("SIGKILL");
    await forever();
  },
  "hang-silent": async () => {
    hello();
    step(1);
    process.on("SIGTERM", () => undefined);
    await forever();
  },
  "hang-with-heartbeat": async () => {
    hello();
    step(1);
    for (;;) {
      emit("heartbeat", { step: 1, rss_bytes: 1, in_phase_s: 1 });
      await sleep(50);
    }
  },
  "hang-after-done": async () => {
    await train();
    finish();
    await forever();
  },
  "half-line": async () => {
    await train(2);
    raw('{"v":1,"seq":99,"ts":1,"type":"met');
    die("SIGKILL");
    await forever();
  },
  "half-line-then-rest": async () => {
    hello();
    const line = JSON.stringify(envelope("metrics", { split: "train", step: 3, total: 3, epoch: 0, metrics: {} }));
    raw(line.slice(0, 20));
    await sleep(400);
    raw(`${line.slice(20)}\n`);
    finish();
  },
  "nan-json": async () => {
    await train(2);
    raw(`{"v":1,"seq":${++seq},"ts":1,"type":"metrics","rank":0,"step":3,"metrics":{"loss":NaN}}\n`);
    step(4);
    finish();
  },
  "unknown-type": async () => {
    await train(2);
    emit("telepathy", { thought: 1 });
    emit("metrics", { split: "train", step: 2, total: 5, epoch: 0, metrics: { loss: 0.5 }, unheard_of: true });
    finish();
  },
  "huge-line": async () => {
    await train(2);
    emit("log", { level: "info", message: "x".repeat(200_000) });
    finish();
  },
  "event-twice": async () => {
    hello();
    const line = `${JSON.stringify(envelope("checkpoint", { path: "c", step: 1, bytes: 1, reason: "interval", complete: true }))}\n`;
    raw(line + line);
    finish();
  },
  "protocol-2": async () => {
    raw(`${JSON.stringify({ v: 2, seq: 1, ts: 1, type: "hello", pid: process.pid, protocol: 2 })}\n`);
    await forever();
  },
  "event-flood": async () => {
    hello();
    const chat = () => `${JSON.stringify(envelope("log", { level: "info", message: "x".repeat(150) }))}\n`;
    for (let number = 1; number <= 400; number++) {
      raw(Array.from({ length: 100 }, chat).join(""));
      const fields = { path: `c${number}`, step: number, bytes: 1, reason: "interval", complete: true };
      if (number % 100 === 50) emit("checkpoint", fields);
      await sleep(5);
    }
    finish();
  },
  "endless-line": async () => {
    hello();
    for (let written = 0; written < 6 * 2 ** 20; written += 2 ** 16) {
      raw("x".repeat(2 ** 16));
      await sleep(20);
    }
    raw("\n");
    finish();
  },
  "log-flood": async () => {
    hello();
    const block = `${"flood ".repeat(20)}\n`.repeat(8000);
    for (let written = 0; written < 130 * 2 ** 20; written += block.length) {
      writeSync(1, block);
      await sleep(1);
    }
    for (let line = 1; line <= 300; line++) say(`last words ${line}`);
    process.exitCode = 1;
  },
  "two-ranks-one-dies": async () => {
    hello();
    const other = startChild("rank-dies", "1");
    await new Promise((resolve) => other.once("exit", resolve));
    say("RuntimeError: a rank was lost");
    process.exitCode = 1;
  },
  "rank-dies": () => {
    emit("error", { code: "out_of_memory", message: "rank 1: CUDA out of memory" });
    die("SIGKILL");
    return forever();
  },
  "leaves-child": async () => {
    await train();
    startChild("hang-silent", "1");
    spawn("setsid", ["sleep", "3600"], { stdio: "ignore", detached: true });
    await sleep(300);
    finish();
    process.exit(0);
  },
  "loads-forever": async () => {
    hello();
    emit("phase", { name: "model", state: "start" });
    while (!stop.isAsked) await sleep(20);
    emit("done", { status: "cancelled", step: 0 });
  },
  "silent-start": forever,
  "ignores-stop": async () => {
    hello();
    let number = 0;
    for (;;) {
      step(++number, 1_000_000);
      await sleep(50);
    }
  },
  "stop-save-fails": async () => {
    hello();
    step(1);
    while (!stop.isAsked) await sleep(20);
    emit("error", { code: "disk_full", message: "The checkpoint could not be written." });
    process.exitCode = 1;
  },
  secrets: () => {
    hello();
    say("Authorization: Bearer abcdefghijklmnop");
    emit("log", { level: "info", message: "Authorization: Bearer abcdefghijklmnop" });
    say("ValueError: bad token hf_abcdefghijklmnopqrst");
    process.exitCode = 1;
  },
  "eval-ok": async () => {
    hello();
    artifact("generated_predictions.jsonl", "{}\n");
    emit("done", { status: "succeeded" });
  },
};

const run = modes[mode];
if (run === undefined) throw new Error(`there is no mode ${mode}`);
await run();
// Signals are listened for, and timers may be left.
process.exit();
