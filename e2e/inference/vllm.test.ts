import { descendantsOf, isAlive, until } from "@attune/testkit/processes.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findTrainerPython } from "../serve/find-trainer-python.ts";
import { questions } from "../serve/taught-models.ts";
import { type AgentWithModels, leaveChat, startWithModels, textOf } from "./ask-models.ts";

const python = findTrainerPython("models in memory of a real vLLM");
const program = process.env["ATTUNE_VLLM"];
if (program === undefined) {
  console.log("Not run: models in memory of a real vLLM. ATTUNE_VLLM names the program `vllm`, built for the CPU.");
}
// It compiles for half a minute before it serves.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

describe.skipIf(python === undefined || program === undefined)("an agent with a real vLLM", () => {
  let started: AgentWithModels;
  beforeAll(async () => {
    started = await startWithModels(python as string, {
      NODE_AGENT_VLLM_PROGRAM: program as string,
      NODE_AGENT_VLLM_MAX_SEQUENCES: "8",
    });
  });
  afterAll(() => started[Symbol.asyncDispose]());

  test("base and adapter answer as they were taught, a caller who goes away frees the model, and nothing is left", async () => {
    const { asked, models } = started;
    const base = await asked.loaded({ engine: "vllm", model_path: models.path("base") });
    expect(base).toMatchObject({ state: "ready", engine: "vllm", context_length: 2048, concurrency: 8 });
    const answers = await Promise.all(Object.values(questions).map((question) => asked.stream(question)));
    expect(answers.map(textOf)).toEqual(Object.values(questions).map((question) => models.base[question]?.text));
    expect(JSON.parse(answers[0]?.at(-2)?.data ?? "")).toMatchObject({
      prompt_tokens: models.base[questions.capital]?.prompt_tokens,
      completion_tokens: models.base[questions.capital]?.completion_tokens,
    });
    await leaveChat(asked, base.load_id);
    expect((await asked.stream("too long ".repeat(800))).at(-1)).toMatchObject({
      event: "problem",
      data: expect.stringContaining("CHAT_CONTEXT_TOO_LONG"),
    });
    const family = descendantsOf(base.pid ?? 0);
    expect(family.length).toBeGreaterThan(0);
    const adapted = { model_path: models.path("base"), adapter_path: models.path("adapter") };
    const tuned = await asked.loaded({ engine: "vllm", ...adapted });
    expect(tuned).toMatchObject({ state: "ready", context_length: 2048 });
    expect([base.pid ?? 0, ...family].filter(isAlive)).toEqual([]);
    expect(textOf(await asked.stream(questions.capital))).toBe(models.adapter[questions.capital]?.text);
    process.kill(tuned.pid ?? 0, "SIGKILL");
    while ((await asked.session(tuned.load_id))?.state === "ready") {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await asked.session(tuned.load_id)).toMatchObject({ state: "error", reason: "INFERENCE_ENGINE_DIED" });
  });

  test("an agent that is killed leaves no process of it", async () => {
    const { agent, asked, models } = started;
    const { pid } = await asked.loaded({ engine: "vllm", model_path: models.path("base"), task_id: "last" });
    const family = [pid ?? 0, ...descendantsOf(pid ?? 0)];
    expect(family.length).toBeGreaterThan(1);
    agent.signal("SIGKILL");
    await agent.ended;
    await until(() => !family.some(isAlive), 30_000, "the end of the server");
  });
});
