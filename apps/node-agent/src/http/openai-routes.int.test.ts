import { openaiCompletion, openaiError, openaiModel, openaiModels } from "@attune/contracts/compute/openai-chat-api.ts";
import { readEvents } from "@attune/contracts/rest/read-events.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestInference, type TestInference } from "../inference/inference.fixture.ts";
import { bindOpenaiRoutes } from "./openai-routes.ts";
import { type ServedRoutes, serveRoutes } from "./serve-routes.fixture.ts";

let run: TestInference;
let served: ServedRoutes;
beforeAll(async () => {
  run = await startTestInference();
  served = await serveRoutes(bindOpenaiRoutes(run.sessions));
  await run.loaded({ model_path: await run.makeModel({ tokenMs: 2 }), task_id: "tuned", gpus: 0 });
  await run.loaded({ model_path: await run.makeModel({ faults: ["die-in-chat"], tokenMs: 20 }), task_id: "mortal" });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await run[Symbol.asyncDispose]();
});

const post = (body: unknown): Promise<Response> =>
  fetch(`${served.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer any" },
    body: JSON.stringify(body),
  });
const hello = { model: "tuned", messages: [{ role: "user", content: "Hello there" }] };
const stream = async (body: object): Promise<unknown[]> => {
  const { body: bytes } = await post({ ...body, stream: true });
  const chunks: unknown[] = [];
  if (bytes === null) return chunks;
  for await (const { event, data } of readEvents(bytes)) {
    expect(event).toBe("message");
    chunks.push(data === "[DONE]" ? data : JSON.parse(data));
  }
  return chunks;
};

test("loaded models are listed", async () => {
  const response = await fetch(`${served.url}/v1/models`);
  const { data } = openaiModels.parse(await response.json());
  expect(data.map(({ id }) => id)).toEqual(["tuned", "mortal"]);
});

test("one model is told by what a request names it, and another is not there", async () => {
  const get = (id: string): Promise<Response> => fetch(`${served.url}/v1/models/${encodeURIComponent(id)}`);
  const [session] = run.sessions.status({ task_id: "tuned" });
  for (const id of ["tuned", session?.model_path ?? "", session?.load_id ?? ""]) {
    expect(openaiModel.parse(await (await get(id)).json()).id).toBe("tuned");
  }
  const missing = await get("gpt-4o");
  expect([missing.status, openaiError.parse(await missing.json()).error.code]).toEqual([404, "model_not_found"]);
});

test("a whole answer has the documented form", async () => {
  const completion = openaiCompletion.strict().parse(await (await post(hello)).json());
  expect(completion).toMatchObject({
    object: "chat.completion",
    model: "tuned",
    choices: [{ index: 0, message: { role: "assistant", content: "You said: Hello there" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 },
  });
});

test("a model is found by its path, the end of its path and its load_id, too", async () => {
  const [session] = run.sessions.status({ task_id: "tuned" });
  const path = session?.model_path ?? "";
  for (const model of [path, path.split("/").at(-1), session?.load_id]) {
    expect((await post({ ...hello, model })).status).toBe(200);
  }
});

test("parts of text, developer messages, stop and limits are taken", async () => {
  const content = [
    { type: "text", text: "One two " },
    { type: "text", text: "three" },
  ];
  const messages = [
    { role: "developer", content: "Be brief." },
    { role: "user", content },
  ];
  const common = { model: "tuned", messages, temperature: 0.5, top_p: 0.9, seed: 1, n: 1, user: "me", tools: [] };
  const [byMax, byCompletion, byStop] = await Promise.all(
    [{ max_tokens: 2 }, { max_completion_tokens: 3 }, { stop: "two" }].map(async (limit) =>
      openaiCompletion.parse(await (await post({ ...common, ...limit })).json()),
    ),
  );
  expect(byMax?.choices[0]).toMatchObject({ message: { content: "You said:" }, finish_reason: "length" });
  expect(byCompletion?.choices[0]).toMatchObject({ message: { content: "You said: One" }, finish_reason: "length" });
  expect(byStop?.choices[0]).toMatchObject({ message: { content: "You said: One" }, finish_reason: "stop" });
});

test("a stream begins with the role, ends with why, and tells usage when asked", async () => {
  const chunks = await stream({ ...hello, stream_options: { include_usage: true } });
  const choices = chunks
    .slice(0, -2)
    .map((chunk) => (chunk as { choices: { delta: { content?: string } }[] }).choices[0]);
  expect(choices[0]).toMatchObject({ delta: { role: "assistant" }, finish_reason: null });
  expect(choices.at(-1)).toMatchObject({ delta: {}, finish_reason: "stop" });
  const texts = choices.map((choice) => choice?.delta.content ?? "");
  expect(texts.join("")).toBe("You said: Hello there");
  expect(chunks.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 5 }, object: "chat.completion.chunk" });
  expect(chunks.at(-1)).toBe("[DONE]");
  expect(JSON.stringify(await stream(hello))).not.toContain("usage");
});

describe("errors have OpenAI's form:", () => {
  const refused = async (body: unknown) => {
    const response = await post(body);
    return { status: response.status, ...openaiError.strict().parse(await response.json()).error };
  };
  test("a model that is not loaded", async () => {
    expect(await refused({ ...hello, model: "gpt-4o" })).toMatchObject({
      status: 404,
      code: "model_not_found",
      param: "model",
    });
  });
  test.each([
    [{}, "model"],
    [{ ...hello, messages: [] }, "messages"],
    [{ ...hello, temperature: "hot" }, "temperature"],
    [{ ...hello, n: 2 }, "n"],
    [{ ...hello, tools: [{ type: "function", function: { name: "f" } }] }, "tools.0"],
    [{ ...hello, response_format: { type: "json_object" } }, "response_format.type"],
    [{ ...hello, guided_json: { type: "object" } }, "guided_json"],
    [{ ...hello, min_p: 0.1 }, "min_p"],
    [{ ...hello, stop_token_ids: [2] }, "stop_token_ids.0"],
    [{ ...hello, modalities: ["text", "audio"] }, "modalities.1"],
    [
      { ...hello, messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
      "messages.0.content",
    ],
  ])("a request that cannot be followed: %j", async (body, param) => {
    const error = await refused(body);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error" });
    expect(error.param).toContain(param);
  });
  test("an engine that dies in the middle of a stream, which then has no [DONE]", async () => {
    const chunks = await stream({ ...hello, model: "mortal" });
    expect(chunks.at(-1)).toMatchObject({ error: { type: "server_error", code: "inference_engine_died" } });
  });
  test("a node that stops in the middle of a stream", async () => {
    const other = await serveRoutes(bindOpenaiRoutes(run.sessions), {
      settings: { token: undefined, drainTimeoutMs: 20_000 },
    });
    const messages = [{ role: "user", content: "Go on ".repeat(500) }];
    const response = await fetch(`${other.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "tuned", messages, stream: true }),
    });
    const chunks: string[] = [];
    let closed: Promise<void> | undefined;
    for await (const { data } of readEvents(response.body as ReadableStream<Uint8Array>)) {
      chunks.push(data);
      closed ??= other[Symbol.asyncDispose]();
    }
    await closed;
    expect(JSON.parse(chunks.at(-1) ?? "")).toMatchObject({ error: { code: "shutting_down" } });
    expect(chunks.join("")).not.toContain("[DONE]");
  });
});
