import { truncateSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { descendantsOf, isAlive, until } from "@attune/testkit/processes.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findTrainerPython } from "../serve/find-trainer-python.ts";
import { type AgentWithModels, leaveChat, startWithModels, textOf } from "./ask-models.ts";
import { questions } from "../serve/taught-models.ts";

const python = findTrainerPython("models in memory of a real attune-serve");
// Python imports torch for seconds, and for far more on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

describe.skipIf(python === undefined)("an agent with a real attune-serve", () => {
  let started: AgentWithModels;
  beforeAll(async () => {
    started = await startWithModels(python as string, { NODE_AGENT_PYTHON: python as string });
  });
  afterAll(() => started[Symbol.asyncDispose]());

  test("base and adapter are loaded, and answer as the library does", async () => {
    const { agent, asked, models } = started;
    const base = await asked.loaded({ model_path: models.path("base") });
    expect(base).toMatchObject({
      state: "ready",
      engine: "transformers",
      context_length: expect.any(Number),
      concurrency: 1,
    });
    expect(base.memory_bytes).toBeGreaterThan(0);
    for (const question of Object.values(questions)) {
      const events = await asked.stream(question);
      const known = models.base[question];
      expect(textOf(events)).toBe(known?.text);
      expect(JSON.parse(events.at(-2)?.data ?? "")).toMatchObject({
        prompt_tokens: known?.prompt_tokens,
        completion_tokens: known?.completion_tokens,
      });
      expect(events.at(-1)?.event).toBe("done");
    }
    const tuned = await asked.loaded({ model_path: models.path("base"), adapter_path: models.path("adapter") });
    expect(textOf(await asked.stream(questions.capital))).toBe(models.adapter[questions.capital]?.text);
    expect(await asked.session(base.load_id)).toBeUndefined();
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
    const { asked, models } = started;
    const { load_id } = await asked.loaded({ model_path: models.path("base") });
    await leaveChat(asked, load_id);
    expect(textOf(await asked.stream(questions.capital))).toBe(models.base[questions.capital]?.text);
  });

  test("what cannot be loaded says so at once: damaged weights, an adapter of another base, no model", async () => {
    const { asked, folder, models } = started;
    const damaged = join(folder, "damaged");
    await cp(models.path("base"), damaged, { recursive: true });
    truncateSync(join(damaged, "model.safetensors"), 1000);
    const cases = [
      [{ model_path: damaged }, "MODEL_CORRUPT"],
      [{ model_path: models.path("base"), adapter_path: models.path("other-adapter") }, "ADAPTER_MISMATCH"],
      [{ model_path: join(folder, "nothing") }, "MODEL_PATH_NOT_FOUND"],
    ] as const;
    for (const [request, reason] of cases) expect(await asked.load(request)).toMatchObject({ success: false, reason });
  });

  test("an agent that is killed leaves no worker", async () => {
    const { agent, asked, models } = started;
    const { pid } = await asked.loaded({ model_path: models.path("base"), task_id: "last" });
    const family = descendantsOf(agent.pid);
    expect(family).toContain(pid);
    agent.signal("SIGKILL");
    await agent.ended;
    await until(() => !isAlive(pid ?? 0), 30_000, "the end of the worker");
    expect(isAlive(pid ?? 0)).toBe(false);
  });
});
