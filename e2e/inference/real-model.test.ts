import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InferenceStatus, InferenceSessionView, LoadAnswer } from "@attune/contracts/compute/inference-api.ts";
import { readEvents, type ServerSentEvent } from "@attune/contracts/rest/read-events.ts";
import { descendantsOf, isAlive, until } from "@attune/testkit/processes.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type NodeAgentProcess, startNodeAgent } from "../node-agent/start-node-agent.ts";
import { findTrainerPython } from "../serve/find-trainer-python.ts";
import { openChat, textOf } from "./open-chat.ts";
import { makeTaughtModels, questions, type TaughtModels } from "../serve/taught-models.ts";

const python = findTrainerPython("models in memory of a real attune-serve");
// Python imports torch for seconds, and for far more on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

describe.skipIf(python === undefined)("an agent with a real attune-serve", () => {
  const folder = mkdtempSync(join(tmpdir(), "attune-inference-"));
  let models: TaughtModels;
  let agent: NodeAgentProcess;
  beforeAll(async () => {
    models = await makeTaughtModels(python as string);
    agent = await startNodeAgent(join(folder, "data"), {
      NODE_AGENT_PYTHON: python as string,
      NODE_AGENT_LOG_LEVEL: "warn",
    });
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const session = async (loadId: string | null): Promise<InferenceSessionView | undefined> => {
    const { body } = await agent.ask("GET", "/inference/status");
    return (body as InferenceStatus).sessions.find(({ load_id }) => load_id === loadId);
  };
  const load = async (request: object): Promise<LoadAnswer> =>
    (await agent.ask("POST", "/inference/load", { gpus: "none", task_id: "t", replace: true, ...request }))
      .body as LoadAnswer;
  const loaded = async (request: object): Promise<InferenceSessionView> => {
    const answer = await load(request);
    expect(answer).toMatchObject({ success: true });
    for (;;) {
      const found = await session(answer.load_id);
      if (found?.state !== "starting") return found as InferenceSessionView;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const open = (content: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
    openChat(agent, { content, ...more }, signal);
  const stream = async (content: string): Promise<ServerSentEvent[]> => {
    const { body } = await open(content);
    return body === null ? [] : Array.fromAsync(readEvents(body));
  };

  test("base and adapter are loaded, and answer as the library does", async () => {
    const base = await loaded({ model_path: models.path("base") });
    expect(base).toMatchObject({
      state: "ready",
      engine: "transformers",
      context_length: expect.any(Number),
      concurrency: 1,
    });
    expect(base.memory_bytes).toBeGreaterThan(0);
    for (const question of Object.values(questions)) {
      const events = await stream(question);
      const known = models.base[question];
      expect(textOf(events)).toBe(known?.text);
      expect(JSON.parse(events.at(-2)?.data ?? "")).toMatchObject({
        prompt_tokens: known?.prompt_tokens,
        completion_tokens: known?.completion_tokens,
      });
      expect(events.at(-1)?.event).toBe("done");
    }
    const tuned = await loaded({ model_path: models.path("base"), adapter_path: models.path("adapter") });
    expect(textOf(await stream(questions.capital))).toBe(models.adapter[questions.capital]?.text);
    expect(await session(base.load_id)).toBeUndefined();
    expect(isAlive(base.pid ?? 0)).toBe(false);
    const chat = { messages: [{ role: "user", content: questions.capital }], model: "t", temperature: 0 };
    expect((await agent.ask("POST", "/v1/chat/completions", chat)).body).toMatchObject({
      choices: [{ message: { content: models.adapter[questions.capital]?.text } }],
    });
    expect(await agent.ask("POST", "/inference/unload", { task_id: "t" })).toMatchObject({
      status: 200,
      body: { success: true, state: "unloaded", load_id: tuned.load_id },
    });
    expect(isAlive(tuned.pid ?? 0)).toBe(false);
  });

  test("a caller who goes away frees the model for the next one", async () => {
    const { load_id } = await loaded({ model_path: models.path("base") });
    const leaving = new AbortController();
    const generation = { max_new_tokens: 1900, temperature: 1, seed: 1 };
    const { body } = await open("Go on and on", { generation }, leaving.signal);
    const reader = body?.getReader();
    await reader?.read();
    leaving.abort();
    while ((await session(load_id))?.active_chats !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(textOf(await stream(questions.capital))).toBe(models.base[questions.capital]?.text);
  });

  test("what cannot be loaded says so at once: damaged weights, an adapter of another base, no model", async () => {
    const damaged = join(folder, "damaged");
    await cp(models.path("base"), damaged, { recursive: true });
    truncateSync(join(damaged, "model.safetensors"), 1000);
    const cases = [
      [{ model_path: damaged }, "MODEL_CORRUPT"],
      [{ model_path: models.path("base"), adapter_path: models.path("other-adapter") }, "ADAPTER_MISMATCH"],
      [{ model_path: join(folder, "nothing") }, "MODEL_PATH_NOT_FOUND"],
    ] as const;
    for (const [request, reason] of cases) expect(await load(request)).toMatchObject({ success: false, reason });
  });

  test("an agent that is killed leaves no worker", async () => {
    const { pid } = await loaded({ model_path: models.path("base"), task_id: "last" });
    const family = descendantsOf(agent.pid);
    expect(family).toContain(pid);
    agent.signal("SIGKILL");
    await agent.ended;
    await until(() => !isAlive(pid ?? 0), 30_000, "the end of the worker");
    expect(isAlive(pid ?? 0)).toBe(false);
  });
});
