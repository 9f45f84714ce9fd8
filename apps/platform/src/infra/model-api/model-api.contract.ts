import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { ModelApi } from "./model-api.ts";
import { collect, failureOf, never, say } from "./model-api-under-test.contract.ts";

export interface OpenedModelApi extends AsyncDisposable {
  readonly chat: ModelApi;
  readonly embedding: ModelApi;
  /** A model that the API does not have. */
  readonly missing: ModelApi;
  /** The chat model with a key that the API does not take; undefined where no key is needed. */
  readonly wrongKey: ModelApi | undefined;
}

export interface ModelApiCase {
  readonly name: string;
  readonly open: () => Promise<OpenedModelApi>;
}

/** What every model API keeps, a fake or a real one; it asks for nothing that a small model could not do. */
export function describeModelApi({ name, open }: ModelApiCase): void {
  let opened: OpenedModelApi;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  describe(`${name}: chat`, () => {
    it("gives a whole answer", async () => {
      const answer = await opened.chat.complete(say("Say hello.", { maxTokens: 64 }), never);
      expect(`${answer.content}${answer.reasoning}`).not.toBe("");
      expect(["stop", "length"]).toContain(answer.finishReason);
      expect(answer.model).not.toBe("");
      expect(answer.usage?.promptTokens).toBeGreaterThan(0);
      expect(answer.usage?.completionTokens).toBeGreaterThan(0);
    });

    it("streams deltas that add up to the answer", async () => {
      const deltas = await collect(opened.chat.stream(say("Count to five.", { maxTokens: 64 }), never));
      const end = deltas.at(-1);
      expect(deltas.filter(({ type }) => type === "end")).toHaveLength(1);
      expect(end?.type).toBe("end");
      let content = "";
      for (const delta of deltas) {
        if (delta.type === "content") content += delta.text;
        if (delta.type === "content_was_reasoning") content = "";
      }
      expect(end).toMatchObject({ answer: { content } });
    });

    it("is cut at its limit of tokens", async () => {
      const request = say("Write a long story about the sea.", { maxTokens: 2 });
      expect((await opened.chat.complete(request, never)).finishReason).toBe("length");
      expect((await collect(opened.chat.stream(request, never))).at(-1)).toMatchObject({
        answer: { finishReason: "length" },
      });
    });

    it("gives up with the reason of its signal", async () => {
      const reason = new Error("given up");
      await expect(opened.chat.complete(say("hello"), AbortSignal.abort(reason))).rejects.toBe(reason);
      await expect(collect(opened.chat.stream(say("hello"), AbortSignal.abort(reason)))).rejects.toBe(reason);
    });

    it("fits a schema", async () => {
      const schema = z.object({ city: z.string(), population: z.int() });
      const { value } = await opened.chat.completeStructured(
        { ...say("Name a city and its population."), schema, schemaName: "city" },
        never,
      );
      expect(schema.parse(value)).toEqual(value);
    });
  });

  describe(`${name}: embeddings`, () => {
    it("gives a vector for each text, in their order, the same for the same text", async () => {
      const texts = ["the red cat", "the blue sea", "the red cat"];
      const { vectors } = await opened.embedding.embed({ texts }, never);
      expect(vectors).toHaveLength(3);
      expect(vectors[1]).toHaveLength(vectors[0]?.length ?? 0);
      const distance = Math.hypot(...(vectors[0] ?? []).map((value, at) => value - (vectors[2]?.[at] ?? 0)));
      expect(distance).toBeLessThan(0.001);
    });

    it("gives none for no text", async () => {
      expect((await opened.embedding.embed({ texts: [] }, never)).vectors).toEqual([]);
    });
  });

  describe(`${name}: connection`, () => {
    it("works for a model that is there", async () => {
      const report = await opened.chat.testConnection("chat", never);
      expect(report).toMatchObject({ isOk: true, failure: undefined });
      expect(report.steps.every(({ latencyMs }) => latencyMs >= 0)).toBe(true);
      expect((await opened.embedding.testConnection("embedding", never)).isOk).toBe(true);
    });

    it("tells of a model that is not there", async () => {
      const report = await opened.missing.testConnection("chat", never);
      expect(report).toMatchObject({ isOk: false, isModelListed: false });
      expect(report.failure?.reason).toBe("MODEL_API_MODEL_UNKNOWN");
      expect(await failureOf(opened.missing.complete(say("hello"), never))).toContain("MODEL_API_MODEL_UNKNOWN");
    });

    it("tells of a key that is not taken", async ({ skip }) => {
      skip(opened.wrongKey === undefined, "it takes every key");
      expect((await opened.wrongKey?.testConnection("chat", never))?.failure?.reason).toBe("MODEL_API_DENIED");
      expect(await failureOf(Promise.resolve(opened.wrongKey?.complete(say("hello"), never)))).toContain(
        "MODEL_API_DENIED",
      );
    });

    it("lists the models", async () => {
      const models = await opened.chat.listModels(never);
      expect(models.every(({ id }) => id !== "")).toBe(true);
      expect(models.length).toBeGreaterThan(0);
    });
  });
}
