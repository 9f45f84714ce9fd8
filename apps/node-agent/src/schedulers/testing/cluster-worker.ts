/**
 * A worker for tests of clusters: says hello, makes a step every 50 ms, and, asked to stop, writes a checkpoint and ends.
 * Arguments: `steps=N`, `exit=N`, `save-ms=N` (what saving takes), `deaf` (a request to stop changes nothing), `leaves-child`; others are only told in `hello`.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { env } = process;
const folder = env["ATTUNE_RUN_DIR"] ?? ".";
const events = env["ATTUNE_EVENTS"] ?? "";
const control = env["ATTUNE_CONTROL"] ?? "";
const args = process.argv.slice(2);
const numberIn = (key: string, fallback: number): number => {
  const given = args.find((arg) => arg.startsWith(`${key}=`));
  return given === undefined ? fallback : Number(given.slice(key.length + 1));
};
const steps = numberIn("steps", 5);
const isDeaf = args.includes("deaf");
let seq = 0;
let step = 0;
let isAsked = false;

function say(type: string, fields: Record<string, unknown>): void {
  seq++;
  appendFileSync(events, `${JSON.stringify({ v: 1, seq, ts: Date.now() / 1000, rank: 0, type, ...fields })}\n`);
}

function finish(): void {
  if (isAsked) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, numberIn("save-ms", 0));
    mkdirSync(join(folder, "output"), { recursive: true });
    writeFileSync(join(folder, "output/checkpoint"), String(step));
    say("checkpoint", { path: "output/checkpoint", step, bytes: 1, reason: "cancel", complete: true });
    say("done", { status: "cancelled", step });
    process.exit(0);
  }
  const code = numberIn("exit", 0);
  if (code === 0) say("done", { status: "succeeded", step });
  process.exit(code);
}

process.on("SIGTERM", () => (isAsked = !isDeaf));
if (args.includes("leaves-child")) spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).unref();
const told = { args, gpus: env["CUDA_VISIBLE_DEVICES"] ?? null, run: env["ATTUNE_RUN_ID"] ?? null };
say("hello", { pid: process.pid, protocol: 1, versions: {}, world_size: 1, ...told });
process.stdout.write("worker: a line for the log\n");
setInterval(() => {
  step++;
  say("metrics", { split: "train", step, total: steps, epoch: null, metrics: { loss: 1 / step } });
  const isStop = existsSync(control) && readFileSync(control, "utf8").includes('"cmd":"stop"');
  if (isStop && !isDeaf) isAsked = true;
  if (isAsked || step >= steps) finish();
}, 50);
