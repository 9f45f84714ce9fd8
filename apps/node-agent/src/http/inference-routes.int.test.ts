import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatAnswer } from "@attune/contracts/compute/inference-api.ts";
import { readEvents, type ServerSentEvent } from "@attune/contracts/rest/read-events.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestInference, type TestInference } from "../inference/inference.fixture.ts";
import { bindInferenceRoutes } from "./inference-routes.ts";
import { type ServedRoutes, serveRoutes } from "./serve-routes.fixture.ts";

let run: TestInference;
let served: ServedRoutes;
beforeEach(async () => {
  run = await startTestInference({ worker: { stallMs: 1000, cancelGraceMs: 300 } });
  served = await serveRoutes(bindInferenceRoutes(run.sessions));
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
  await run[Symbol.asyncDispose]();
});

const post = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(`${served.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
const hello = { messages: [{ role: "user", content: "Hello there" }] };
const stream = async (body: unknown): Promise<ServerSentEvent[]> => {
  const response = await post("/inference/chat/stream", body);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const events: ServerSentEvent[] = [];
  if (response.body !== null) for await (const event of readEvents(response.body)) events.push(event);
  return events;
};
/** How text is cut into deltas depends on how busy the machine is. */
const namesOf = (events: readonly ServerSentEvent[]): string[] =>
  events.map(({ event }) => event).filter((name, index, names) => name !== "delta" || names[index - 1] !== "delta");
const dataOf = (events: readonly ServerSentEvent[], name: string): unknown[] =>
  events.filter(({ event }) => event === name).map(({ data }) => JSON.parse(data) as unknown);

test("load, status, chat and unload over HTTP", async () => {
  const model_path = await run.makeModel();
  const load = await post("/inference/load", { model_path, task_id: "t1", node_id: "n1", gpus: 0 });
  expect(load.status).toBe(200);
  const { load_id } = (await load.json()) as { load_id: string };
  await run.until(load_id, "ready");
  const status = await fetch(`${served.url}/inference/status?task_id=t1`);
  expect(await status.json()).toMatchObject({ sessions: [{ load_id, state: "ready" }] });
  const answer = await post("/inference/chat", { ...hello, task_id: "t1" });
  expect(await answer.json()).toEqual({
    load_id,
    task_id: "t1",
    node_id: "n1",
    message: { role: "assistant", content: "You said: Hello there" },
    finish_reason: "stop",
    usage: { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 },
  } satisfies ChatAnswer);
  const unload = await post("/inference/unload", { load_id });
  expect(await unload.json()).toMatchObject({ success: true, state: "unloaded" });
});

test("a load that must fail has status 200", async () => {
  const response = await post("/inference/load", { model_path: join(run.folder, "nothing") });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ success: false, state: "error", reason: "MODEL_PATH_NOT_FOUND" });
});

test("frames are deltas, usage and done", async () => {
  const { load_id } = await run.loaded({ model_path: await run.makeModel({ tokenMs: 5 }) });
  const events = await stream(hello);
  expect(namesOf(events)).toEqual(["delta", "usage", "done"]);
  const texts = dataOf(events, "delta").map((data) => (data as { text: string }).text);
  expect(texts.join("")).toBe("You said: Hello there");
  expect(dataOf(events, "usage")).toEqual([{ prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 }]);
  expect(dataOf(events, "done")).toEqual([{ finish_reason: "stop", load_id, task_id: null }]);
});

describe("a caller who goes away", () => {
  test.each(["/inference/chat/stream", "/inference/chat"])("ends the generation within a token: %s", async (path) => {
    const steps = join(run.folder, "steps");
    const record = join(run.folder, "record");
    writeFileSync(steps, "");
    const model_path = await run.makeModel({ isEndless: true, stepsFile: steps, recordFile: record });
    const { load_id } = await run.loaded({ model_path });
    const did = (what: string): number => readFileSync(record, "utf8").split(`"did":"${what}"`).length - 1;
    const leaving = new AbortController();
    const response = post(path, { ...hello, generation: { max_new_tokens: 1000 } }, leaving.signal);
    response.then((answer) => answer.text()).catch(() => undefined);
    appendFileSync(steps, "...");
    while (did("token") < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    leaving.abort();
    // No further token is needed for the worker to hear of it.
    while (did("cancel") < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    appendFileSync(steps, ".".repeat(100));
    while (run.sessions.status({})[0]?.active_chats !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(did("token")).toBeLessThanOrEqual(4);
    expect(run.sessions.status({})).toMatchObject([{ load_id, state: "ready" }]);
  });

  test("while it waits gives its place away", async () => {
    await run.loaded({ model_path: await run.makeModel({ isEndless: true, tokenMs: 5 }) });
    const endless = { ...hello, generation: { max_new_tokens: 1_000_000 } };
    const leaving = [new AbortController(), new AbortController()];
    const calls = leaving.map(({ signal }) => post("/inference/chat", endless, signal).catch(() => undefined));
    const chats = () => {
      const [session] = run.sessions.status({});
      return [session?.active_chats, session?.queued_chats];
    };
    while (chats().join() !== "1,1") await new Promise((resolve) => setTimeout(resolve, 5));
    for (const each of leaving) each.abort();
    while (chats().join() !== "0,0") await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await Promise.all(calls)).toEqual([undefined, undefined]);
  });
});

test("as many as may wait do, and the next one is told when to come again", async () => {
  await run.loaded({ model_path: await run.makeModel({ isEndless: true, tokenMs: 5 }) });
  const leaving = new AbortController();
  const endless = { ...hello, generation: { max_new_tokens: 1_000_000 } };
  const calls = [1, 2, 3].map(() => post("/inference/chat", endless, leaving.signal).catch(() => undefined));
  while (run.sessions.status({})[0]?.queued_chats !== 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const response = await post("/inference/chat/stream", hello);
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "2"]);
  expect(await response.json()).toMatchObject({ reason: "MODEL_QUEUE_FULL" });
  leaving.abort();
  await Promise.all(calls);
});

describe("which model is meant:", () => {
  const refusal = async (choice: object) => {
    const response = await post("/inference/chat", { ...hello, ...choice });
    return [response.status, ((await response.json()) as { reason: string }).reason];
  };
  test("the only one, the named one, and no other", async () => {
    expect(await refusal({})).toEqual([409, "MODEL_NOT_LOADED"]);
    const model_path = await run.makeModel();
    await run.loaded({ model_path, task_id: "a", node_id: "n" });
    expect((await post("/inference/chat", hello)).status).toBe(200);
    await run.loaded({ model_path, task_id: "b", node_id: "n" });
    expect(await refusal({})).toEqual([409, "MODEL_AMBIGUOUS"]);
    expect(await refusal({ node_id: "n" })).toEqual([409, "MODEL_AMBIGUOUS"]);
    expect(await refusal({ task_id: "c" })).toEqual([409, "MODEL_NOT_LOADED"]);
    expect(await refusal({ task_id: "a", node_id: "m" })).toEqual([409, "MODEL_NOT_LOADED"]);
    expect((await post("/inference/chat", { ...hello, task_id: "b", node_id: "n" })).status).toBe(200);
  });

  test("one that is loading or failed says so", async () => {
    const loading = await run.load({ model_path: await run.makeModel({ loadMs: 60_000 }), task_id: "a" });
    const response = await post("/inference/chat", { ...hello, load_id: loading.load_id });
    expect(await response.json()).toMatchObject({ status: 409, detail: "It is still being loaded." });
  });
});

test.each([
  { messages: [] },
  { messages: [{ role: "robot", content: "Hello" }] },
  { messages: [{ role: "user", content: 7 }] },
  { messages: [{ role: "user", content: "Hello", name: "x" }] },
  { ...hello, generation: { temperature: -1 } },
  { ...hello, generation: { max_new_tokens: 0 } },
  { ...hello, generation: { best_of: 3 } },
])("a request of the wrong form is refused: %j", async (body) => {
  expect((await post("/inference/chat/stream", body)).status).toBe(422);
});

describe("what fails in the middle is a last frame:", () => {
  const problemOf = (events: readonly ServerSentEvent[]): unknown => {
    const last = events.at(-1);
    return last?.event === "problem" ? JSON.parse(last.data) : undefined;
  };

  test("a worker that is killed", async () => {
    const { load_id } = await run.loaded({ model_path: await run.makeModel({ faults: ["die-in-chat"], tokenMs: 20 }) });
    const events = await stream(hello);
    expect(namesOf(events)).toEqual(["delta", "problem"]);
    expect(problemOf(events)).toMatchObject({ reason: "INFERENCE_ENGINE_DIED", remedy: expect.any(String) });
    expect(await run.until(load_id, "error")).toMatchObject({ reason: "INFERENCE_ENGINE_DIED" });
  });
  test("a part of the answer that is lost on the way", async () => {
    await run.loaded({ model_path: await run.makeModel({ faults: ["lose-delta"] }) });
    expect(problemOf(await stream(hello))).toMatchObject({
      reason: "INFERENCE_ENGINE_FAILED",
      detail: expect.stringContaining("Piece 1"),
    });
    expect(run.sessions.status({})).toMatchObject([{ state: "ready" }]);
  });
  test("an error that the worker tells", async () => {
    await run.loaded({ model_path: await run.makeModel({ faults: ["error-in-chat"] }) });
    expect(problemOf(await stream(hello))).toMatchObject({
      reason: "CHAT_CONTEXT_TOO_LONG",
      detail: "5000 tokens, and 2048 fit.",
    });
    const whole = await post("/inference/chat", hello);
    expect([whole.status, await whole.json()]).toMatchObject([422, { reason: "CHAT_CONTEXT_TOO_LONG" }]);
  });
  test("a worker that hangs is ended, and its model is loaded no more", async () => {
    const { load_id } = await run.loaded({ model_path: await run.makeModel({ faults: ["stall-in-chat"] }) });
    expect(problemOf(await stream(hello))).toMatchObject({ reason: "INFERENCE_ENGINE_STALLED" });
    expect(await run.until(load_id, "error")).toMatchObject({ reason: "INFERENCE_ENGINE_STALLED" });
  });
  test("an unload", async () => {
    await run.loaded({ model_path: await run.makeModel({ isEndless: true, tokenMs: 5 }) });
    const streaming = stream({ ...hello, generation: { max_new_tokens: 1_000_000 } });
    while (run.sessions.status({})[0]?.active_chats !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await run.sessions.unload({})).toMatchObject({ success: true });
    expect(problemOf(await streaming)).toMatchObject({ reason: "MODEL_NOT_LOADED" });
  });
});

test("noise of a worker comes into no answer", async () => {
  await run.loaded({ model_path: await run.makeModel({ faults: ["garbage", "half-lines", "wrong-request"] }) });
  const answer = (await (await post("/inference/chat", hello)).json()) as ChatAnswer;
  expect(answer.message.content).toBe("You said: Hello there");
});

test("a worker that ignores that an answer is not wanted any more is ended", async () => {
  const { load_id } = await run.loaded({
    model_path: await run.makeModel({ isEndless: true, tokenMs: 5, faults: ["ignore-cancel"] }),
  });
  const leaving = new AbortController();
  const endless = { ...hello, generation: { max_new_tokens: 1_000_000 } };
  const call = post("/inference/chat", endless, leaving.signal).catch(() => undefined);
  while (run.sessions.status({})[0]?.active_chats !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
  leaving.abort();
  expect(await run.until(load_id, "error")).toMatchObject({ reason: "INFERENCE_ENGINE_STALLED" });
  await call;
});
