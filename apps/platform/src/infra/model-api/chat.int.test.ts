import type { FakeModelApiOptions, SseStyle } from "@attune/testkit/fake-model-api-protocol.ts";
import { describe, expect, it } from "vitest";
import { type ChatDelta, finishReasons } from "./model-api.ts";
import { collect, failureOf, never, say, startApiUnderTest } from "./model-api-under-test.contract.ts";

// Other work on the machine may hold things up.
const patient = { timeout: 20_000 };

const joined = (deltas: readonly ChatDelta[], type: "content" | "reasoning"): string =>
  deltas.flatMap((delta) => (delta.type === type ? [delta.text] : [])).join("");

async function streamOf(fake: FakeModelApiOptions, content = "héllo 🙂 wörld") {
  await using under = await startApiUnderTest({ fake });
  const deltas = await collect(under.api.stream(say(content), never));
  return { deltas, end: deltas.at(-1), requests: under.fake.requests };
}

describe("a chat request", () => {
  it("is written as the protocol says", async () => {
    await using under = await startApiUnderTest();
    const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];
    await under.api.complete(
      {
        messages: [
          { role: "system", content: "Be short." },
          {
            role: "user",
            content: [
              { type: "text", text: "see" },
              { type: "image", url: "data:image/png;base64,AA==" },
            ],
          },
          { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look", argumentsText: "{}" }] },
          { role: "tool", toolCallId: "c1", content: "seen" },
        ],
        maxTokens: 9,
        temperature: 0.5,
        topP: 0.9,
        stop: ["END"],
        seed: 7,
        tools,
        toolChoice: "auto",
        extraBody: { chat_template_kwargs: { enable_thinking: false }, model: "other", stream: true },
      },
      never,
    );
    expect(under.fake.requests[0]?.body).toEqual({
      model: "fake-chat",
      messages: [
        { role: "system", content: "Be short." },
        {
          role: "user",
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
        },
        { role: "tool", content: "seen", tool_call_id: "c1" },
      ],
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      seed: 7,
      tools: [{ type: "function", function: tools[0] }],
      tool_choice: "auto",
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(under.fake.requests[0]?.headers).toMatchObject({ "content-type": "application/json" });
  });

  it("uses max_completion_tokens where max_tokens is refused, and remembers it", async () => {
    await using under = await startApiUnderTest({ fake: { refuses: ["max_tokens"] } });
    await under.api.complete(say("one", { maxTokens: 9 }), never);
    await under.open().complete(say("two", { maxTokens: 9 }), never);
    const limits = under.fake.requests.map(({ body }) =>
      Object.keys(body as object).find((key) => key.startsWith("max_")),
    );
    expect(limits).toEqual(["max_tokens", "max_completion_tokens", "max_completion_tokens"]);
  });

  it("leaves stream_options out where they are refused", async () => {
    const { end, requests } = await streamOf({ refuses: ["stream_options"] });
    expect(end).toMatchObject({ type: "end", answer: { usage: undefined, finishReason: "stop" } });
    expect(requests).toHaveLength(2);
  });
});

describe("an answer", () => {
  it.each(["reasoning_content", "reasoning", "think", "think-unopened"] as const)(
    "is told apart from its reasoning written as %s, whole and streamed",
    async (reasoning) => {
      const said = { content: "It is 4.\n\nDone.", reasoning: "Two and two.\nFour." };
      const fake = { reasoning, answer: () => said, sse: { pieceBytes: 7 } };
      await using under = await startApiUnderTest({ fake });
      expect(await under.api.complete(say("2+2"), never)).toMatchObject(said);
      const deltas = await collect(under.api.stream(say("2+2"), never));
      expect(deltas.at(-1)).toMatchObject({ answer: said });
      const hadToBeMoved = deltas.some(({ type }) => type === "content_was_reasoning");
      expect(hadToBeMoved).toBe(reasoning === "think-unopened");
    },
  );

  it("keeps an unclosed block as reasoning when it is cut", async () => {
    const fake = { reasoning: "think" as const, answer: () => ({ content: "never", reasoning: "a b c d e f g" }) };
    await using under = await startApiUnderTest({ fake });
    const answer = await under.api.complete(say("go", { maxTokens: 4 }), never);
    expect(answer).toMatchObject({ content: "", reasoning: "a b c", finishReason: "length" });
  });

  it("has its tool calls, whole and streamed", async () => {
    const calls = [
      { name: "look", arguments: '{"at":"left"}' },
      { name: "walk", arguments: '{"to":"right"}' },
    ];
    await using under = await startApiUnderTest({ fake: { answer: () => ({ toolCalls: calls }) } });
    const toolCalls = calls.map((call, at) => ({
      id: `call_${at + 1}`,
      name: call.name,
      argumentsText: call.arguments,
    }));
    const expected = { content: "", toolCalls, finishReason: "tool_calls" };
    expect(await under.api.complete(say("go"), never)).toMatchObject(expected);
    const deltas = await collect(under.api.stream(say("go"), never));
    expect(deltas.at(-1)).toMatchObject({ answer: expected });
    const second = deltas.flatMap((delta) => (delta.type === "tool_call" && delta.index === 1 ? [delta] : []));
    expect(second.map(({ argumentsText }) => argumentsText).join("")).toBe('{"to":"right"}');
  });

  it.each(["content_filter", "function_call", "eos"])("has a known finish reason for %s", async (finishReason) => {
    await using under = await startApiUnderTest({ fake: { answer: () => ({ content: "x", finishReason }) } });
    expect(finishReasons).toContain((await under.api.complete(say("go"), never)).finishReason);
  });
});

describe("a stream", () => {
  it.each<[string, SseStyle]>([
    ["LF", {}],
    ["CRLF", { lineEnding: "\r\n" }],
    ["CRLF cut between its characters", { lineEnding: "\r\n", pieceBytes: 1 }],
    ["CR", { lineEnding: "\r" }],
    ["comments and other fields", { hasComments: true, hasOtherFields: true }],
    ["UTF-8 cut anywhere", { pieceBytes: 1 }],
    ["choices null with the usage", { usageChoices: "null" }],
    ["no [DONE]", { hasDone: false }],
  ])("is read with %s", async (_name, sse) => {
    const { deltas, end } = await streamOf({ sse });
    expect(joined(deltas, "content")).toBe("You said: héllo 🙂 wörld");
    expect(end).toMatchObject({ type: "end", answer: { finishReason: "stop", usage: { completionTokens: 5 } } });
  });

  it("is one piece when the server does not stream", async () => {
    const { deltas } = await streamOf({ ignores: ["stream"], answer: () => ({ content: "all", reasoning: "why" }) });
    expect(deltas.map(({ type }) => type)).toEqual(["reasoning", "content", "end"]);
  });

  it("ends its request when its reader leaves, and makes its place free", async () => {
    await using under = await startApiUnderTest({
      fake: { answer: () => "a b c d e f g h i j", tokensPerSecond: 5 },
      endpoint: { maxConcurrency: 1 },
    });
    for await (const delta of under.api.stream(say("go"), never)) if (delta.type === "content") break;
    await expect.poll(() => under.fake.abandonedCount, patient).toBe(1);
    for await (const delta of under.api.stream(say("go"), never)) if (delta.type === "content") break;
    expect(under.fake.requests).toHaveLength(2);
  });

  it("ends with the reason of its signal", async () => {
    await using under = await startApiUnderTest();
    under.fake.failNext({ kind: "stall-mid-stream" });
    const gone = new AbortController();
    const reason = new Error("the user left");
    const reading = async () => {
      for await (const delta of under.api.stream(say("go"), gone.signal))
        if (delta.type === "content") gone.abort(reason);
    };
    await expect(reading()).rejects.toBe(reason);
    await expect.poll(() => under.fake.abandonedCount, patient).toBe(1);
  });

  it.each([
    ["reset-mid-stream" as const, "MODEL_API_INTERRUPTED"],
    ["end-mid-stream" as const, "MODEL_API_INTERRUPTED: The answer of the model API broke off. Its stream ended"],
    ["error-mid-stream" as const, "MODEL_API_FAILED: .*The server had an error while processing"],
    ["endless-stream" as const, "MODEL_API_ANSWER_TOO_LARGE"],
  ])("that ends as %s fails, and is not sent again", async (kind, expected) => {
    await using under = await startApiUnderTest({ settings: { maxAnswerBytes: 1_000_000 } });
    under.fake.failNext({ kind });
    expect(await failureOf(collect(under.api.stream(say("go"), never)))).toMatch(new RegExp(expected));
    expect(under.fake.requests).toHaveLength(1);
  });
});
