import { noTokenLimit } from "@attune/contracts/compute/run-spec.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { startFakeModelApi } from "@attune/testkit/fake-model-api.ts";
import type { FakeModelFault } from "@attune/testkit/fake-model-api-faults.ts";
import { describe, expect, test } from "vitest";
import { createEngineLog } from "../create-engine-log.ts";
import { ask, collect, describeInferenceEngine, plainModel, textOf } from "../inference-engine.contract.ts";
import { createOpenaiCompatibleEngine } from "./openai-compatible-engine.ts";

const key = "sk-test-0123456789";
const models = [
  { id: "tuned", kind: "chat", contextTokens: 4096 },
  { id: "endless", kind: "chat" },
] as const;
const startApi = () =>
  startFakeModelApi({
    apiKey: key,
    models,
    tokensPerSecond: 2000,
    answer: ({ model, messages }) =>
      model === "endless" ? "more ".repeat(50_000) : `You said: ${String(messages.at(-1)?.content)}`,
  });
const settingsOf = (url: string) => ({ url, key: new Secret(key), concurrency: 4, stallMs: 500 });

describeInferenceEngine("openai_compatible", async () => {
  const api = await startApi();
  return {
    engine: createOpenaiCompatibleEngine({ ...settingsOf(api.apiUrl), stallMs: 20_000 }),
    model: plainModel("tuned"),
    endless: plainModel("endless"),
    missing: plainModel("gpt-4o"),
    hasProcess: false,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
});

/** Part of an answer, then these lines. */
const streamOf = (...lines: readonly string[]): FakeModelFault => {
  const part = JSON.stringify({ choices: [{ delta: { content: "Half an ans" }, finish_reason: "" }] });
  return { kind: "body", contentType: "text/event-stream", body: [`data: ${part}`, ...lines, ""].join("\n\n") };
};
const endWith = (finish_reason: string) => `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason }] })}`;

describe("openai_compatible", () => {
  const never = new AbortController().signal;
  const load = (url: string, model = "tuned") => {
    const ports = {
      sessionId: "s",
      folder: "/",
      log: createEngineLog("/dev/null"),
      onProgress: () => undefined,
      onStarted: () => undefined,
    };
    return createOpenaiCompatibleEngine(settingsOf(url)).load(plainModel(model), ports, never);
  };

  test("sends what was asked for, and the key", async () => {
    await using api = await startApi();
    const model = await load(api.apiUrl);
    expect(model.contextLength).toBe(4096);
    const events = await collect(model.chat(ask("Hello", { temperature: 0.3, seed: 7, stop: ["x"] }), never));
    expect(textOf(events)).toBe("You said: Hello");
    expect(api.requests.at(-1)?.body).toEqual({
      model: "tuned",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 64,
      temperature: 0.3,
      top_p: 1,
      stop: ["x"],
      seed: 7,
    });
  });

  test.each(["length", "max_tokens", "model_length"])(
    "an answer that ends with %s is cut at its limit",
    async (why) => {
      await using api = await startApi();
      const model = await load(api.apiUrl);
      api.failNext(streamOf(endWith(why), "data: [DONE]"));
      const events = await collect(model.chat(ask("Hello"), never));
      expect([textOf(events), events.at(-1)]).toEqual(["Half an ans", { type: "done", finish: "length" }]);
    },
  );

  test("what the server is not known to take is refused, and as many tokens are asked for as are wanted", async () => {
    await using api = await startApi();
    const model = await load(api.apiUrl);
    for (const extra of [{ top_k: 3 }, { repetition_penalty: 1.1 }]) {
      const name = Object.keys(extra).join();
      await expect(collect(model.chat(ask("Hello", extra), never))).rejects.toThrow(
        new RegExp(`CHAT_REJECTED.*${name}`),
      );
    }
    expect(api.requests.filter(({ body }) => body !== undefined)).toEqual([]);
    const endless = await load(api.apiUrl, "endless");
    const most = async (max_new_tokens: number) => {
      await collect(endless.chat(ask("Hello", { max_new_tokens, stop: ["more"] }), never));
      const body = api.requests.at(-1)?.body as { readonly max_tokens?: number } | undefined;
      return body?.max_tokens;
    };
    expect([await most(100_000), await most(noTokenLimit)]).toEqual([100_000, undefined]);
  });

  test("a caller who goes away closes the connection, which ends the generation", async () => {
    await using api = await startApi();
    const model = await load(api.apiUrl);
    const leaving = new AbortController();
    for await (const event of model.chat(ask("Go on ".repeat(500), { max_new_tokens: 4000 }), leaving.signal)) {
      if (event.type === "delta") leaving.abort();
    }
    while (api.abandonedCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(api.load.current).toBe(0);
  });

  test.each<readonly [FakeModelFault, string]>([
    [{ kind: "status", status: 401, message: `Incorrect API key provided: ${key}` }, "INFERENCE_API_DENIED"],
    [{ kind: "status", status: 429, headers: { "retry-after": "7" } }, "MODEL_QUEUE_FULL"],
    [{ kind: "status", status: 400, code: "context_length_exceeded" }, "CHAT_CONTEXT_TOO_LONG"],
    [{ kind: "status", status: 400, message: "roles must alternate" }, "CHAT_REJECTED"],
    [{ kind: "status", status: 500 }, "INFERENCE_ENGINE_FAILED"],
    [{ kind: "html-error" }, "INFERENCE_ENGINE_FAILED"],
    [{ kind: "truncated-json" }, "INFERENCE_ENGINE_FAILED"],
    [{ kind: "reset-before-answer" }, "INFERENCE_ENGINE_FAILED"],
    [{ kind: "reset-mid-stream" }, "INFERENCE_ENGINE_FAILED"],
    [{ kind: "end-mid-stream" }, "INFERENCE_ENGINE_FAILED"],
    [{ kind: "error-mid-stream", message: "CUDA out of memory" }, "MODEL_OUT_OF_MEMORY"],
    [streamOf(), "INFERENCE_ENGINE_FAILED"],
    [streamOf(endWith("content_filter"), "data: [DONE]"), "INFERENCE_ENGINE_FAILED"],
    [streamOf('data: {"object":"error","message":"boom"}', endWith("stop"), "data: [DONE]"), "INFERENCE_ENGINE_FAILED"],
    [streamOf('event: error\ndata: {"message":"boom"}', endWith("stop"), "data: [DONE]"), "INFERENCE_ENGINE_FAILED"],
    [{ kind: "stall-mid-stream" }, "INFERENCE_ENGINE_STALLED"],
    [{ kind: "stall-before-answer" }, "INFERENCE_ENGINE_STALLED"],
  ])("%j is told as %s, without the key", async (fault, reason) => {
    await using api = await startApi();
    const model = await load(api.apiUrl);
    api.failNext(fault);
    const error = await collect(model.chat(ask("Hello"), never)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason });
    expect(String(error)).not.toContain(key);
    expect(textOf(await collect(model.chat(ask("Hello"), never)))).toBe("You said: Hello");
  });

  test("a server that is not there, or not set, is told with what to do", async () => {
    const gone = createOpenaiCompatibleEngine(settingsOf("http://127.0.0.1:1/v1"));
    expect(await gone.report()).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("ECONNREFUSED"),
    });
    const none = createOpenaiCompatibleEngine({ ...settingsOf(""), url: undefined });
    expect(await none.report()).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("NODE_AGENT_OPENAI"),
    });
    await expect(none.check(plainModel("tuned"))).rejects.toMatchObject({ reason: "ENGINE_UNAVAILABLE" });
  });

  test("what only the server decides is refused", async () => {
    await using api = await startApi();
    const engine = createOpenaiCompatibleEngine(settingsOf(api.apiUrl));
    await expect(engine.check({ ...plainModel("tuned"), quantisation: "nf4" })).rejects.toMatchObject({
      reason: "MODEL_UNSUPPORTED",
    });
  });
});
