import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refusalOf, startNodeAgent } from "./start-node-agent.ts";

const timeout = 300_000;
const token = "a-token-of-the-node-for-tests";

let folder = "";
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "node-agent-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

test(
  "a second agent on the same folder refuses to start; SIGTERM is a good end and leaves no lock",
  { timeout },
  async () => {
    const data = join(folder, "data");
    const agent = await startNodeAgent(data);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    const second = await refusalOf({ NODE_AGENT_DATA_DIR: data });
    expect(second).toEqual({
      status: 1,
      text: expect.stringContaining(`Another node agent (process ${agent.pid}) works on the data folder ${data}.`),
    });
    expect((await agent.ask("GET", "/healthz")).body).toEqual({ status: "ok" });
    agent.signal("SIGTERM");
    expect(await agent.ended).toBe(0);
    expect(await readdir(data)).not.toContain("agent.lock");
  },
);

test("what an agent that was killed left is taken over by the next one", { timeout }, async () => {
  const first = await startNodeAgent(folder);
  first.signal("SIGKILL");
  expect(await first.ended).toBe(null);
  expect(existsSync(join(folder, "agent.lock"))).toBe(true);
  await using second = await startNodeAgent(folder);
  expect((await second.ask("GET", "/health")).status).toBe(200);
});

test("no address that others reach is served without a token", { timeout }, async () => {
  const { status, text } = await refusalOf({ NODE_AGENT_DATA_DIR: folder, NODE_AGENT_HOST: "0.0.0.0" });
  expect([status, text]).toEqual([2, expect.stringMatching(/NODE_AGENT_HOST: .*set NODE_AGENT_TOKEN/)]);
  await using agent = await startNodeAgent(folder, { NODE_AGENT_HOST: "0.0.0.0", NODE_AGENT_TOKEN: token });
  expect((await agent.ask("GET", "/health")).status).toBe(200);
  const stranger = await fetch(`${agent.url}/health`);
  expect([stranger.status, ((await stranger.json()) as { reason: string }).reason]).toEqual([
    401,
    "NODE_TOKEN_REQUIRED",
  ]);
  expect(agent.output()).not.toContain(token);
});

test("metrics need the token as everything else, and none on a port of their own", { timeout }, async () => {
  const port = await freePort();
  const settings = { NODE_AGENT_TOKEN: token, NODE_AGENT_METRICS_PORT: String(port), NODE_AGENT_GPU_SIM: "1xL4-24GB" };
  await using agent = await startNodeAgent(folder, settings);
  expect((await fetch(`${agent.url}/metrics`)).status).toBe(401);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(text).toMatch(/^node_agent_gpu_memory_total_bytes\{gpu="0",.*simulated="true"\} \d+$/m);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test(
  "a folder that cannot be made, a misspelt setting and a port in use are told, with what to do",
  { timeout },
  async () => {
    const lost = await refusalOf({ NODE_AGENT_DATA_DIR: "/proc/nowhere/data" });
    expect(lost).toEqual({ status: 1, text: expect.stringMatching(/cannot be made \(\w+\).*NODE_AGENT_DATA_DIR/) });
    const misspelt = await refusalOf({ NODE_AGENT_DATA_DIR: folder, NODE_AGENT_TOKN: "x" });
    expect(misspelt).toEqual({ status: 2, text: expect.stringContaining("NODE_AGENT_TOKN: there is no such setting") });
    await using agent = await startNodeAgent(join(folder, "a"));
    const { port } = new URL(agent.url);
    const taken = await refusalOf({ NODE_AGENT_DATA_DIR: join(folder, "b"), NODE_AGENT_PORT: port });
    expect(taken).toEqual({ status: 1, text: expect.stringContaining("EADDRINUSE") });
  },
);
