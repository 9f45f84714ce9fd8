/**
 * `node bench/inference/sse-relay.ts [ROUNDS]`: how much later the first token of an answer comes through the agent, as a
 * frame of server-sent events over HTTP, than from the worker itself over its pipe. The worker holds no model. Both ways are
 * measured in turn, in one run, on one machine.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request as send } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startFakeAgent, loadModel } from "./fake-agent.ts";
import { percentile } from "./percentile.ts";

const rounds = Number(process.argv[2] ?? 300);
const warmUps = 30;
const program = join(import.meta.dirname, "../../packages/testkit/src/fake-inference-worker.ts");
const generation = { max_new_tokens: 64, temperature: 0, top_p: 1, top_k: 0, repetition_penalty: 1, stop: [] };
const messages = [{ role: "user", content: "Hello" }];
const connections = new Agent({ keepAlive: true });

interface Timing {
  readonly firstMs: number;
  readonly wholeMs: number;
}

await using agent = await startFakeAgent();
for (const [name, model] of Object.entries({
  "no pause between tokens": agent.plain,
  "2 ms between tokens": agent.paced,
})) {
  await loadModel(agent, model);
  const worker = await startWorker(model);
  const direct: Timing[] = [];
  const relayed: Timing[] = [];
  for (let round = 0; round < rounds + warmUps; round++) {
    const pair = [await askWorker(worker), await askAgent()] as const;
    if (round < warmUps) continue;
    direct.push(pair[0]);
    relayed.push(pair[1]);
  }
  worker.child.stdin.end();
  await once(worker.child, "close");
  await agent.post("/inference/unload", {});
  report(name, direct, relayed);
}

function report(name: string, direct: readonly Timing[], relayed: readonly Timing[]): void {
  const added = relayed.map(({ firstMs }, index) => firstMs - (direct[index]?.firstMs ?? 0));
  console.log(`${name}, 20 tokens, ${rounds} answers each way`);
  for (const [what, values] of [
    ["first token from the worker", direct.map(({ firstMs }) => firstMs)],
    ["first token through the agent", relayed.map(({ firstMs }) => firstMs)],
    ["added to the first token", added],
    ["whole answer from the worker", direct.map(({ wholeMs }) => wholeMs)],
    ["whole answer through the agent", relayed.map(({ wholeMs }) => wholeMs)],
  ] as const) {
    const [p50, p95, p99] = [50, 95, 99].map((share) => percentile(values, share).toFixed(2));
    console.log(`  ${what}: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`);
  }
}

interface Worker {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterator<string>;
}

async function startWorker(model: string): Promise<Worker> {
  const child = spawn(process.execPath, [program], { stdio: "pipe" });
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(`${JSON.stringify({ cmd: "load", model_path: model, adapter_path: null })}\n`);
  while ((await nextType(lines)) !== "ready");
  return { child, lines };
}

async function nextType(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error("the worker ended");
  return (JSON.parse(value) as { type: string }).type;
}

async function askWorker({ child, lines }: Worker): Promise<Timing> {
  const startMs = performance.now();
  child.stdin.write(`${JSON.stringify({ cmd: "chat", request_id: String(startMs), messages, generation })}\n`);
  while ((await nextType(lines)) !== "delta");
  const firstMs = performance.now() - startMs;
  while ((await nextType(lines)) !== "finished");
  return { firstMs, wholeMs: performance.now() - startMs };
}

async function askAgent(): Promise<Timing> {
  const startMs = performance.now();
  const request = send(`${agent.url}/inference/chat/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    agent: connections,
  });
  request.end(JSON.stringify({ messages, generation }));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let firstMs = 0;
  let text = "";
  for await (const piece of response.setEncoding("utf8")) {
    text += piece as string;
    if (firstMs === 0 && text.includes("event: delta")) firstMs = performance.now() - startMs;
  }
  if (!text.includes("event: done")) throw new Error(`the answer has no end: ${text.slice(-300)}`);
  return { firstMs, wholeMs: performance.now() - startMs };
}
