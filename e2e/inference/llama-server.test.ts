import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InferenceStatus, InferenceSessionView, LoadAnswer } from "@attune/contracts/compute/inference-api.ts";
import { readEvents, type ServerSentEvent } from "@attune/contracts/rest/read-events.ts";
import { isAlive, until } from "@attune/testkit/processes.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type NodeAgentProcess, startNodeAgent } from "../node-agent/start-node-agent.ts";
import { findTrainerPython } from "../serve/find-trainer-python.ts";
import { openChat, textOf } from "./open-chat.ts";
import { makeTaughtModels, questions, type TaughtModels } from "../serve/taught-models.ts";

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
    const folder = mkdtempSync(join(tmpdir(), "attune-llama-"));
    const gguf = (name: string): string => join(folder, `${name}.gguf`);
    let models: TaughtModels;
    let agent: NodeAgentProcess;
    const convert = (script: string, ...args: readonly string[]): void => {
      const all = [join(llamaCpp as string, script), ...args, "--outtype", "f32"];
      execFileSync(python as string, all, { stdio: "ignore" });
    };
    beforeAll(async () => {
      models = await makeTaughtModels(python as string);
      for (const name of ["pieces", "pieces-endless"]) {
        convert("convert_hf_to_gguf.py", models.path(name), "--outfile", gguf(name));
      }
      const adapter = ["--base", models.path("pieces"), "--outfile", gguf("adapter")];
      convert("convert_lora_to_gguf.py", models.path("pieces-adapter"), ...adapter);
      agent = await startNodeAgent(join(folder, "data"), {
        NODE_AGENT_LLAMA_SERVER_PROGRAM: program as string,
        NODE_AGENT_LLAMA_SERVER_PARALLEL: "2",
        NODE_AGENT_LOG_LEVEL: "warn",
      });
    });
    afterAll(async () => {
      await agent[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    const sessions = async (): Promise<InferenceStatus["sessions"]> =>
      ((await agent.ask("GET", "/inference/status")).body as InferenceStatus).sessions;
    const session = async (loadId: string | null): Promise<InferenceSessionView | undefined> =>
      (await sessions()).find(({ load_id }) => load_id === loadId);
    const settled = async (request: object): Promise<InferenceSessionView> => {
      const load = { gpus: "none", task_id: "t", replace: true, ...request };
      const answer = (await agent.ask("POST", "/inference/load", load)).body as LoadAnswer;
      expect(answer).toMatchObject({ success: true });
      for (;;) {
        const found = await session(answer.load_id);
        if (found?.state !== "starting") return found as InferenceSessionView;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const open = (content: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
      openChat(agent, { content, ...more }, signal);
    const stream = async (content: string, more: object = {}): Promise<ServerSentEvent[]> => {
      const { body } = await open(content, { generation: { temperature: 0 }, ...more });
      return body === null ? [] : Array.fromAsync(readEvents(body));
    };

    test("base and adapter answer as they were taught, and tell context, memory and usage", async () => {
      const base = await settled({ model_path: gguf("pieces") });
      expect(base).toMatchObject({ state: "ready", engine: "llama_server", context_length: 2048, concurrency: 2 });
      expect(base.memory_bytes).toBeGreaterThan(400_000);
      const events = await stream(questions.capital);
      expect(textOf(events)).toBe("The capital of France is Paris.");
      expect(JSON.parse(events.at(-2)?.data ?? "")).toMatchObject({ prompt_tokens: expect.any(Number) });
      expect(events.at(-1)?.event).toBe("done");
      const chat = { messages: [{ role: "user", content: questions.marks }], model: "t", temperature: 0 };
      expect((await agent.ask("POST", "/v1/chat/completions", chat)).body).toMatchObject({
        choices: [{ message: { content: "naïve café, 👩‍👩‍👧‍👦 und Übermut" } }],
      });
      const tuned = await settled({ model_path: gguf("pieces"), adapter_path: gguf("adapter"), context_length: 512 });
      expect(tuned).toMatchObject({ state: "ready", context_length: 512 });
      expect(textOf(await stream(questions.marks))).toBe("The capital of France is Paris.");
      expect(isAlive(base.pid ?? 0)).toBe(false);
      const problem = (await stream("too long ".repeat(400))).at(-1);
      expect(problem).toMatchObject({ event: "problem", data: expect.stringContaining("CHAT_CONTEXT_TOO_LONG") });
      expect(await agent.ask("POST", "/inference/unload", { task_id: "t" })).toMatchObject({
        body: { success: true, state: "unloaded" },
      });
      expect(isAlive(tuned.pid ?? 0)).toBe(false);
    });

    test("a caller who goes away frees the model; one that is killed is an error with its cause", async () => {
      const { load_id, pid } = await settled({ model_path: gguf("pieces-endless") });
      const leaving = new AbortController();
      const endless = { generation: { max_new_tokens: 1900, temperature: 1, seed: 1 } };
      const reader = (await open("Go on", endless, leaving.signal)).body?.getReader();
      await reader?.read();
      leaving.abort();
      while ((await session(load_id))?.active_chats !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await stream("Go on", { generation: { max_new_tokens: 3 } })).at(-1)?.data).toContain("length");
      process.kill(pid ?? 0, "SIGKILL");
      await until(() => !isAlive(pid ?? 0), 30_000, "the end of the server");
      while ((await session(load_id))?.state === "ready") await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await session(load_id)).toMatchObject({ state: "error", reason: "INFERENCE_ENGINE_DIED" });
    });

    test("damaged weights and what is no adapter are errors with their causes", async () => {
      copyFileSync(gguf("pieces"), gguf("cut"));
      truncateSync(gguf("cut"), 300_000);
      expect(await settled({ model_path: gguf("cut") })).toMatchObject({ state: "error", reason: "MODEL_CORRUPT" });
      const wrong = { model_path: gguf("pieces"), adapter_path: gguf("pieces-endless") };
      expect(await settled(wrong)).toMatchObject({ state: "error", reason: "ADAPTER_MISMATCH" });
    });
  },
);
