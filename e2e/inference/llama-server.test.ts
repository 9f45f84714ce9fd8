import { execFileSync } from "node:child_process";
import { copyFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { isAlive, until } from "@attune/testkit/processes.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findTrainerPython } from "../serve/find-trainer-python.ts";
import { type AgentWithModels, leaveChat, startWithModels, textOf } from "./ask-models.ts";
import { questions } from "../serve/taught-models.ts";

const python = findTrainerPython("models in memory of a real llama-server");
const program = process.env["ATTUNE_LLAMA_SERVER"];
const llamaCpp = process.env["ATTUNE_LLAMA_CPP"];
if (program === undefined || llamaCpp === undefined) {
  console.log(
    "Not run: models in memory of a real llama-server. ATTUNE_LLAMA_SERVER names the program, ATTUNE_LLAMA_CPP the folder of llama.cpp.",
  );
}
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

describe.skipIf(python === undefined || program === undefined || llamaCpp === undefined)(
  "an agent with a real llama-server",
  () => {
    let started: AgentWithModels;
    const gguf = (name: string): string => join(started.folder, `${name}.gguf`);
    const convert = (script: string, ...args: readonly string[]): void => {
      const all = [join(llamaCpp as string, script), ...args, "--outtype", "f32"];
      execFileSync(python as string, all, { stdio: "ignore" });
    };
    beforeAll(async () => {
      started = await startWithModels(python as string, {
        NODE_AGENT_LLAMA_SERVER_PROGRAM: program as string,
        NODE_AGENT_LLAMA_SERVER_PARALLEL: "2",
      });
      const { models } = started;
      for (const name of ["pieces", "pieces-endless"]) {
        convert("convert_hf_to_gguf.py", models.path(name), "--outfile", gguf(name));
      }
      const adapter = ["--base", models.path("pieces"), "--outfile", gguf("adapter")];
      convert("convert_lora_to_gguf.py", models.path("pieces-adapter"), ...adapter);
    });
    afterAll(() => started[Symbol.asyncDispose]());

    test("base and adapter answer as they were taught, and tell context, memory and usage", async () => {
      const { agent, asked } = started;
      const base = await asked.loaded({ model_path: gguf("pieces") });
      expect(base).toMatchObject({ state: "ready", engine: "llama_server", context_length: 2048, concurrency: 2 });
      expect(base.memory_bytes).toBeGreaterThan(400_000);
      const events = await asked.stream(questions.capital);
      expect(textOf(events)).toBe("The capital of France is Paris.");
      expect(JSON.parse(events.at(-2)?.data ?? "")).toMatchObject({ prompt_tokens: expect.any(Number) });
      expect(events.at(-1)?.event).toBe("done");
      const chat = { messages: [{ role: "user", content: questions.marks }], model: "t", temperature: 0 };
      expect((await agent.ask("POST", "/v1/chat/completions", chat)).body).toMatchObject({
        choices: [{ message: { content: "naïve café, 👩‍👩‍👧‍👦 und Übermut" } }],
      });
      const tuned = await asked.loaded({
        model_path: gguf("pieces"),
        adapter_path: gguf("adapter"),
        context_length: 512,
      });
      expect(tuned).toMatchObject({ state: "ready", context_length: 512 });
      expect(textOf(await asked.stream(questions.marks))).toBe("The capital of France is Paris.");
      expect(isAlive(base.pid ?? 0)).toBe(false);
      const problem = (await asked.stream("too long ".repeat(400))).at(-1);
      expect(problem).toMatchObject({ event: "problem", data: expect.stringContaining("CHAT_CONTEXT_TOO_LONG") });
      expect(await agent.ask("POST", "/inference/unload", { task_id: "t" })).toMatchObject({
        body: { success: true, state: "unloaded" },
      });
      expect(isAlive(tuned.pid ?? 0)).toBe(false);
    });

    test("a caller who goes away frees the model; one that is killed is an error with its cause", async () => {
      const { asked } = started;
      const { load_id, pid } = await asked.loaded({ model_path: gguf("pieces-endless") });
      await leaveChat(asked, load_id);
      expect((await asked.stream("Go on", { generation: { max_new_tokens: 3 } })).at(-1)?.data).toContain("length");
      process.kill(pid ?? 0, "SIGKILL");
      await until(() => !isAlive(pid ?? 0), 30_000, "the end of the server");
      while ((await asked.session(load_id))?.state === "ready") await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await asked.session(load_id)).toMatchObject({ state: "error", reason: "INFERENCE_ENGINE_DIED" });
    });

    test("damaged weights and what is no adapter are errors with their causes", async () => {
      const { asked } = started;
      copyFileSync(gguf("pieces"), gguf("cut"));
      truncateSync(gguf("cut"), 300_000);
      expect(await asked.loaded({ model_path: gguf("cut") })).toMatchObject({
        state: "error",
        reason: "MODEL_CORRUPT",
      });
      const wrong = { model_path: gguf("pieces"), adapter_path: gguf("pieces-endless") };
      expect(await asked.loaded(wrong)).toMatchObject({ state: "error", reason: "ADAPTER_MISMATCH" });
    });
  },
);
