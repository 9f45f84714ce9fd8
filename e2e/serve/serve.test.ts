import { copyFileSync, cpSync, mkdtempSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findTrainerPython } from "./find-trainer-python.ts";
import { isLast, type ServeEvent, type StartedServe, startServe, textOf } from "./start-serve.ts";
import { makeTaughtModels, questions, type TaughtModels } from "./taught-models.ts";

const python = findTrainerPython("attune-serve with a tiny model");
const ask = (content: string) => [{ role: "user", content }];
const long = { max_new_tokens: 1900, temperature: 1, seed: 1 };
// Python imports torch for seconds, and for far more on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
let models: TaughtModels;

describe.skipIf(python === undefined)("attune-serve", () => {
  let worker: StartedServe;
  let beginning: ServeEvent[];
  let requests = 0;
  const chat = (content: string, generation: object = {}): Promise<readonly ServeEvent[]> =>
    worker.chat({ request_id: `r${++requests}`, messages: ask(content), generation });

  beforeAll(async () => {
    models = await makeTaughtModels(python as string);
    worker = startServe(python as string, { ATTUNE_PARENT_PID: String(process.pid) });
    beginning = [];
    const paths = { model_path: models.path("base"), adapter_path: models.path("adapter") };
    worker.send({ cmd: "load", ...paths, dtype: "auto", quantisation: "none", context_length: null });
    await worker.next((event) => {
      beginning.push(event);
      return event.type === "ready";
    });
  });
  afterAll(() => worker?.[Symbol.asyncDispose]());

  test("tells every stage of the load, with how far it is", () => {
    expect(beginning[0]).toMatchObject({ v: 1, seq: 1, type: "hello", pid: worker.pid, protocol: 1 });
    const stages = beginning.filter(({ type }) => type === "progress");
    expect([...new Set(stages.map((event) => event["stage"]))]).toEqual([
      "config",
      "tokenizer",
      "weights",
      "adapter",
      "warmup",
    ]);
    for (const stage of ["config", "tokenizer", "weights", "adapter", "warmup"]) {
      const last = stages.findLast((event) => event["stage"] === stage);
      expect(last?.["current"]).toBe(last?.["total"]);
    }
    const bytes = 4 * beginning.length; // the model is float32, so that its bytes are a multiple of 4
    expect(beginning.at(-1)).toMatchObject({
      context_length: 2048,
      concurrency: 1,
      model_type: "llama",
      device: "cpu",
    });
    expect(beginning.at(-1)?.["memory_bytes"]).toBeGreaterThan(bytes);
    expect(beginning.map(({ seq }) => seq)).toEqual(beginning.map((_, index) => index + 1));
  });

  test.each(Object.values(questions))(
    "answers %s as the library does, in pieces and with exact counts",
    async (question) => {
      const events = await chat(question);
      const whole = models.adapter[question];
      expect(textOf(events)).toBe(whole?.text);
      const deltas = events.filter(({ type }) => type === "delta");
      expect(deltas.map((event) => event["i"])).toEqual(deltas.map((_, index) => index));
      expect(deltas.length).toBeGreaterThan(5);
      expect(deltas.filter((event) => !(event["text"] as string).isWellFormed())).toEqual([]);
      expect(events.at(-2)).toMatchObject({
        type: "usage",
        prompt_tokens: whole?.prompt_tokens,
        completion_tokens: whole?.completion_tokens,
      });
      expect(events.at(-1)).toMatchObject({ type: "finished", finish: "stop" });
    },
  );

  test("ends before a stop string that spans tokens, and tells no part of it", async () => {
    const events = await chat(questions.capital, { stop: ["never", "个请求。"] });
    expect(textOf(events)).toBe("模型拒绝了这");
    expect(events.at(-1)).toMatchObject({ finish: "stop" });
  });

  test("ends at the most tokens, and never in the middle of a character", async () => {
    for (const most of [1, 2, 29, 31]) {
      const events = await chat(questions.capital, { max_new_tokens: most });
      expect(models.adapter[questions.capital]?.text.startsWith(textOf(events))).toBe(true);
      expect(events.at(-2)).toMatchObject({ completion_tokens: most });
      expect(events.at(-1)).toMatchObject({ finish: "length" });
    }
  });

  test("lives through every kind of bad command", async () => {
    const bad = ["", "{", "[]", '{"cmd":"boom"}', '{"cmd":"chat"}', "\u0000", '{"cmd":"load","model_path":"/x"}'];
    worker.write(`${bad.join("\n")}\n`);
    worker.write(Uint8Array.of(0xff, 0xfe, 0x0a));
    worker.write(`{"cmd":"ping","id":"${"x".repeat(100)}"}\n`);
    const errors: ServeEvent[] = [];
    await worker.next((event) => {
      if (event.type === "error") errors.push(event);
      return event.type === "pong";
    });
    expect(errors).toHaveLength(7);
    expect(errors.filter((error) => error["code"] !== "bad_request" || error["request_id"] !== null)).toEqual([]);
    const [named] = await worker.chat({ request_id: "named", messages: [], generation: {} });
    expect(named).toMatchObject({ type: "error", request_id: "named", code: "bad_request" });
    expect(textOf(await chat(questions.marks))).toBe(models.adapter[questions.marks]?.text);
  });
});

describe.skipIf(python === undefined)("attune-serve, with a model that never ends", () => {
  let worker: StartedServe;
  let requests = 0;
  const chat = (content: string, generation: object = {}): Promise<readonly ServeEvent[]> =>
    worker.chat({ request_id: `r${++requests}`, messages: ask(content), generation });

  beforeAll(async () => {
    models = await makeTaughtModels(python as string);
    worker = startServe(python as string);
    worker.send({ cmd: "load", model_path: models.path("endless") });
    await worker.next(({ type }) => type === "ready");
  });
  afterAll(() => worker?.[Symbol.asyncDispose]());

  test("samples the same with the same seed", async () => {
    const settings = { temperature: 1, top_p: 0.95, top_k: 20, max_new_tokens: 20 };
    const sampled = async (seed: number): Promise<string> => textOf(await chat("Go on.", { ...settings, seed }));
    const first = await sampled(5);
    expect(await sampled(5)).toBe(first);
    expect(await sampled(6)).not.toBe(first);
  });

  test("stops within a token of the cancel", async () => {
    worker.send({ cmd: "chat", request_id: "long", messages: ask("Go on."), generation: long });
    await worker.next((event) => event.type === "delta");
    worker.send({ cmd: "cancel", request_id: "long" });
    const usage = await worker.next((event) => event.type === "usage");
    expect(await worker.next(isLast)).toMatchObject({ request_id: "long", finish: "cancelled" });
    expect(usage["completion_tokens"]).toBeLessThan(1900);
    // A cancel of what has ended is no error, and the next one is answered.
    worker.send({ cmd: "cancel", request_id: "long" });
    expect((await chat("Go on.", { max_new_tokens: 3 })).at(-1)).toMatchObject({ finish: "length" });
  });

  test("answers one after the other, tells who is too many, and lets go of those that wait", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `q${index}`);
    for (const id of ids) worker.send({ cmd: "chat", request_id: id, messages: ask("Go on."), generation: long });
    for (const id of ids) worker.send({ cmd: "cancel", request_id: id });
    const ends = new Map<unknown, unknown>();
    while (ends.size < ids.length) {
      const event = await worker.next(isLast);
      ends.set(event["request_id"], event["finish"] ?? event["code"]);
    }
    expect(ids.slice(0, 9).map((id) => ends.get(id))).toEqual(Array(9).fill("cancelled"));
    expect(ids.slice(9).map((id) => ends.get(id))).toEqual(Array(3).fill("busy"));
  });

  test("refuses what does not fit into the context, with the numbers, and answers the next one", async () => {
    const [error] = await chat("word ".repeat(3000));
    expect(error).toMatchObject({ type: "error", code: "context_length_exceeded" });
    expect(error?.["message"]).toMatch(/take \d{4,} tokens.* 2048/);
    expect((await chat("Go on.", { max_new_tokens: 3 })).at(-1)).toMatchObject({ finish: "length" });
  });

  test("gives a longer answer than the context has room for what room there is", async () => {
    const events = await chat("word ".repeat(390), { max_new_tokens: 5000 });
    const usage = events.at(-2) as ServeEvent;
    expect(Number(usage["prompt_tokens"]) + Number(usage["completion_tokens"])).toBe(2048);
    expect(events.at(-1)).toMatchObject({ finish: "length" });
  });

  test("ends at once when its commands end, even while it answers", async () => {
    worker.send({ cmd: "chat", request_id: "last", messages: ask("Go on."), generation: long });
    await worker.next((event) => event.type === "delta");
    worker.closeCommands();
    expect(await worker.ended).toEqual({ code: 0, signal: null });
  });
});

describe.skipIf(python === undefined)("attune-serve, what cannot be loaded", () => {
  const cut = mkdtempSync(join(tmpdir(), "attune-serve-"));

  beforeAll(async () => {
    models = await makeTaughtModels(python as string);
    cpSync(models.path("base"), cut, { recursive: true });
    truncateSync(join(cut, "model.safetensors"), 1000);
  });

  test("is told with its cause, and something else can be loaded after it", async () => {
    await using worker = startServe(python as string);
    const failure = async (load: object): Promise<ServeEvent> => {
      worker.send({ cmd: "load", dtype: "auto", quantisation: "none", ...load });
      const event = await worker.next(({ type }) => type === "error" || type === "ready");
      expect(event).toMatchObject({ type: "error", request_id: null, hint: expect.stringMatching(/\w+\./) });
      return event;
    };
    const base = models.path("base");
    expect(await failure({ model_path: join(cut, "none") })).toMatchObject({ code: "file_not_found" });
    expect(await failure({ model_path: cut })).toMatchObject({ code: "model_corrupt" });
    expect(await failure({ model_path: models.path("adapter") })).toMatchObject({ code: "bad_spec" });
    const other = { model_path: base, adapter_path: models.path("other-adapter") };
    expect(await failure(other)).toMatchObject({ code: "adapter_mismatch" });
    expect(await failure({ model_path: base, quantisation: "nf4" })).toMatchObject({ code: "environment" });
    expect(await failure({ model_path: base, context_length: 4096 })).toMatchObject({ code: "bad_spec" });
    copyFileSync(join(base, "model.safetensors"), join(cut, "model.safetensors"));
    expect(await failure({ model_path: models.path("not-a-number") })).toMatchObject({ code: "engine_failed" });
    const [unloaded] = await worker.chat({ request_id: "a", messages: ask("Hello.") });
    expect(unloaded).toMatchObject({ type: "error", code: "bad_request" });
    worker.send({ cmd: "load", model_path: models.path("no-template") });
    await worker.next(({ type }) => type === "ready");
    const [error] = await worker.chat({ request_id: "b", messages: ask("Hello.") });
    expect(error).toMatchObject({ type: "error", request_id: "b", code: "chat_template_missing" });
    worker.send({ cmd: "unload" });
    expect(await worker.ended).toEqual({ code: 0, signal: null });
  });

  test("ends by SIGTERM, and before it began when its parent is gone", async () => {
    await using waiting = startServe(python as string);
    await waiting.next(({ type }) => type === "hello");
    waiting.kill("SIGTERM");
    expect(await waiting.ended).toEqual({ code: null, signal: "SIGTERM" });
    await using orphan = startServe(python as string, { ATTUNE_PARENT_PID: "1" });
    expect(await orphan.ended).toEqual({ code: 113, signal: null });
  });
});
