import { describe, expect, it } from "vitest";
import { type FakeModelApi, startFakeModelApi } from "./fake-model-api.ts";
import type { FakeModelApiOptions } from "./fake-model-api-protocol.ts";

// Other work on the machine may hold things up.
const patient = { timeout: 20_000 };

const ask = { model: "fake-chat", messages: [{ role: "user", content: "say héllo 🙂" }] };

interface Chunk {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: Record<string, unknown>;
    finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

async function post(api: FakeModelApi, body: unknown, path = "/chat/completions") {
  const init = { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await fetch(`${api.apiUrl}${path}`, { ...init, headers: { authorization: "Bearer key" } });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, json };
}

async function withFake(options: FakeModelApiOptions, use: (api: FakeModelApi) => Promise<void>): Promise<void> {
  await using api = await startFakeModelApi(options);
  await use(api);
}

/** The events of a stream whose lines end in "\n". */
function readEvents(text: string): { chunks: Chunk[]; isDone: boolean } {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith("data:"));
  const payloads = lines.map((line) => line.slice(5).trim());
  const chunks = payloads.filter((payload) => payload !== "[DONE]").map((payload) => JSON.parse(payload) as Chunk);
  return { chunks, isDone: payloads.at(-1) === "[DONE]" };
}

const joined = ({ chunks }: { chunks: Chunk[] }, field = "content"): string =>
  chunks
    .flatMap(({ choices }) => (choices ?? []).map(({ delta }) => (delta[field] as string | undefined) ?? ""))
    .join("");

describe("chat completions", () => {
  it("answers with a message, a finish reason and usage", async () => {
    await withFake({ answer: () => ({ content: "one two", reasoning: "why" }) }, async (api) => {
      const { status, json } = await post(api, ask);
      expect(status).toBe(200);
      expect(json).toMatchObject({
        object: "chat.completion",
        model: "fake-chat",
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "one two", reasoning_content: "why" },
            finish_reason: "stop",
          },
        ],
        usage: { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 1 } },
      });
      expect(api.requests[0]).toMatchObject({ method: "POST", path: "/v1/chat/completions", body: ask });
    });
  });

  it("keeps to n, stop and max_tokens", async () => {
    await withFake({ answer: () => "one two three four" }, async (api) => {
      const { json } = await post(api, { ...ask, n: 2, stop: [" three"] });
      const choice = { message: { content: "one two" }, finish_reason: "stop" };
      expect(json).toMatchObject({
        choices: [
          { index: 0, ...choice },
          { index: 1, ...choice },
        ],
      });
      const cut = await post(api, { ...ask, max_tokens: 3 });
      expect(cut.json).toMatchObject({ choices: [{ message: { content: "one two three" }, finish_reason: "length" }] });
    });
  });

  it("calls tools", async () => {
    await withFake({ answer: () => ({ toolCalls: [{ name: "look", arguments: '{"at":1}' }] }) }, async (api) => {
      const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } };
      const { json } = await post(api, ask);
      expect(json).toMatchObject({
        choices: [{ message: { content: null, tool_calls: [call] }, finish_reason: "tool_calls" }],
      });
      const { text } = await post(api, { ...ask, stream: true });
      const deltas = readEvents(text).chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta["tool_calls"]));
      const calls = deltas.flat().filter(Boolean) as { function: { arguments: string } }[];
      expect(calls.map((part) => part.function.arguments).join("")).toBe('{"at":1}');
    });
  });

  it("makes JSON of the schema it is given", async () => {
    const schema = {
      type: "object",
      properties: {
        pairs: { type: "array", minItems: 2, items: { $ref: "#/$defs/pair" } },
        level: { enum: ["easy", "hard"] },
        score: { type: "integer", minimum: 0, maximum: 1 },
      },
      required: ["pairs", "level", "score"],
      additionalProperties: false,
      $defs: {
        pair: { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false },
      },
    };
    const format = { type: "json_schema", json_schema: { name: "pairs", schema, strict: true } };
    await withFake({}, async (api) => {
      const { json } = await post(api, { ...ask, response_format: format });
      const [choice] = json["choices"] as { message: { content: string } }[];
      const q = "say héllo 🙂";
      expect(JSON.parse(choice?.message.content ?? "")).toEqual({ pairs: [{ q }, { q }], level: "easy", score: 1 });
    });
  });

  const unopened = "why not\n</think>\n\nyes";
  const opened = `<think>\n${unopened}`;
  it.each([
    ["reasoning_content" as const, "reasoning_content", "why not", "yes"],
    ["reasoning" as const, "reasoning", "why not", "yes"],
    ["think" as const, "content", opened, opened],
    ["think-unopened" as const, "content", unopened, unopened],
  ])("writes reasoning as %s", async (...[reasoning, field, expected, content]) => {
    await withFake({ reasoning, answer: () => ({ content: "yes", reasoning: "why not" }) }, async (api) => {
      const events = readEvents((await post(api, { ...ask, stream: true })).text);
      expect(joined(events, field)).toBe(expected);
      expect(joined(events)).toBe(content);
    });
  });
});

describe("streams", () => {
  it("ends with a finish reason, usage when asked for, and [DONE]", async () => {
    await withFake({}, async (api) => {
      const plain = readEvents((await post(api, { ...ask, stream: true })).text);
      expect(plain.isDone).toBe(true);
      expect(joined(plain)).toBe("You said: say héllo 🙂");
      expect(plain.chunks.every((chunk) => chunk.usage === undefined)).toBe(true);
      const options = { include_usage: true };
      const { chunks } = readEvents((await post(api, { ...ask, stream: true, stream_options: options })).text);
      expect(chunks.at(-2)).toMatchObject({ choices: [{ delta: {}, finish_reason: "stop" }], usage: null });
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
    });
  });

  it.each<[string, NonNullable<FakeModelApiOptions["sse"]>, RegExp]>([
    ["CRLF", { lineEnding: "\r\n" }, /\r\n\r\n/],
    ["CR", { lineEnding: "\r" }, /^[^\n]*$/],
    ["comments", { hasComments: true }, /^: keep-alive$/m],
    ["other fields", { hasOtherFields: true }, /^event: message\nid: 1\nretry: 100\ndata:\{/],
    ["pieces of a byte", { pieceBytes: 1 }, /data: \{/],
  ])("can be written with %s", async (_name, sse, expected) => {
    await withFake({ sse }, async (api) => {
      const { text } = await post(api, { ...ask, stream: true });
      expect(text).toMatch(expected);
      expect(joined(readEvents(text))).toBe("You said: say héllo 🙂");
    });
  });

  it("can end without [DONE] and send usage with choices null", async () => {
    await withFake({ sse: { hasDone: false, usageChoices: "null" } }, async (api) => {
      const { text } = await post(api, { ...ask, stream: true, stream_options: { include_usage: true } });
      const { chunks, isDone } = readEvents(text);
      expect(isDone).toBe(false);
      expect(chunks.at(-1)?.choices).toBeNull();
    });
  });

  it("goes at the speed it is given, after its latency", async () => {
    await withFake({ answer: () => "a b c d e", tokensPerSecond: 50, latencyMs: 40 }, async (api) => {
      const startedAtMs = performance.now();
      await post(api, { ...ask, stream: true });
      // Timers may fire a little early, never much.
      expect(performance.now() - startedAtMs).toBeGreaterThan(40 + 5 * 20 - 15);
    });
  });

  it("counts callers that go away", async () => {
    await withFake({ answer: () => "a b c d e f g h", tokensPerSecond: 2 }, async (api) => {
      const gone = new AbortController();
      const body = JSON.stringify({ ...ask, stream: true });
      const { body: stream } = await fetch(`${api.apiUrl}/chat/completions`, {
        method: "POST",
        body,
        signal: gone.signal,
      });
      const reader = stream?.getReader();
      await reader?.read();
      gone.abort();
      await expect.poll(() => api.abandonedCount, patient).toBe(1);
      expect(api.load.current).toBe(0);
    });
  });
});

describe("embeddings", () => {
  it("are near for texts that share words, the same in both encodings", async () => {
    await withFake({}, async (api) => {
      const input = ["the red cat", "the red dog", "nothing alike"];
      const body = { model: "fake-embedding", input, dimensions: 256 };
      const { json } = await post(api, body, "/embeddings");
      const data = json["data"] as { index: number; embedding: number[] }[];
      const [cat = [], dog = [], other = []] = data.map(({ embedding }) => embedding);
      const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
      expect(dot(cat, cat)).toBeCloseTo(1, 5);
      expect(dot(cat, dog)).toBeGreaterThan(dot(cat, other));
      const base64 = await post(api, { ...body, encoding_format: "base64" }, "/embeddings");
      const [first] = base64.json["data"] as { embedding: string }[];
      const bytes = Buffer.from(first?.embedding ?? "", "base64");
      expect([...new Float32Array(new Uint8Array(bytes).buffer)]).toEqual(cat);
      expect(json["usage"]).toEqual({ prompt_tokens: 8, total_tokens: 8 });
    });
  });
});

describe("models", () => {
  it("are listed", async () => {
    await withFake({ models: [{ id: "m", kind: "chat", contextTokens: 4_096 }] }, async (api) => {
      const json: unknown = await (await fetch(`${api.apiUrl}/models`)).json();
      expect(json).toMatchObject({ object: "list", data: [{ id: "m", object: "model", max_model_len: 4_096 }] });
    });
  });
});

describe("refusals", () => {
  it.each<[string, FakeModelApiOptions, unknown, number, string]>([
    ["a wrong key", { apiKey: "other" }, ask, 401, "invalid_api_key"],
    ["an unknown model", {}, { ...ask, model: "gone" }, 404, "model_not_found"],
    ["no model", {}, { messages: ask.messages }, 400, "you must provide a model parameter"],
    ["what is not JSON", {}, "{", 400, "could not parse the JSON body"],
    ["no messages", {}, { ...ask, messages: [] }, 400, "messages"],
    ["an unknown role", {}, { ...ask, messages: [{ role: "boss", content: "" }] }, 400, "boss"],
    ["max_tokens 0", {}, { ...ask, max_tokens: 0 }, 400, "max_tokens"],
    ["a temperature of 3", {}, { ...ask, temperature: 3 }, 400, "temperature"],
    ["five stops", {}, { ...ask, stop: ["a", "b", "c", "d", "e"] }, 400, "stop"],
    ["stream_options without stream", {}, { ...ask, stream_options: {} }, 400, "stream_options"],
    [
      "max_tokens where it is old",
      { refuses: ["max_tokens"] },
      { ...ask, max_tokens: 9 },
      400,
      "max_completion_tokens",
    ],
    ["json_object without the word", {}, { ...ask, response_format: { type: "json_object" } }, 400, "the word 'json'"],
    [
      "an open schema in strict mode",
      {},
      {
        ...ask,
        response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" }, strict: true } },
      },
      400,
      "additionalProperties",
    ],
  ])("answers %s as the real ones do", async (...[, options, body, status, words]) => {
    await withFake(options, async (api) => {
      const answer = await post(api, body);
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject({ error: { message: expect.any(String) as string } });
      expect(answer.text).toContain(words);
    });
  });

  it("answers other paths with 404", async () => {
    await withFake({ hasModelList: false }, async (api) => {
      expect((await fetch(`${api.origin}/chat/completions`, { method: "POST", body: "{}" })).status).toBe(404);
      expect((await fetch(`${api.apiUrl}/models`)).status).toBe(404);
    });
  });
});
