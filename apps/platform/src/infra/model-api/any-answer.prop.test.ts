import { AppError } from "@attune/service-kit/app-error.ts";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import * as z from "zod";
import { collect, never, say, startApiUnderTest } from "./model-api-under-test.contract.ts";

const schema = z.object({ a: z.string() });

// JSON near to the protocol's, so that checks beyond the first are reached.
const scalar = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant([]),
  fc.constant({}),
);
const text = fc.record(
  {
    content: scalar,
    reasoning_content: scalar,
    reasoning: scalar,
    tool_calls: fc.oneof(
      scalar,
      fc.array(
        fc.record(
          { index: scalar, id: scalar, function: fc.oneof(scalar, fc.record({ name: scalar, arguments: scalar })) },
          { requiredKeys: [] },
        ),
      ),
    ),
  },
  { requiredKeys: [] },
);
const choice = fc.record({ message: text, delta: text, finish_reason: scalar, index: scalar }, { requiredKeys: [] });
const nearJson = fc.record(
  {
    choices: fc.oneof(scalar, fc.array(fc.oneof(scalar, choice), { maxLength: 2 })),
    data: fc.array(fc.record({ id: scalar, index: scalar, embedding: fc.oneof(scalar, fc.array(scalar)) }), {
      maxLength: 3,
    }),
    model: scalar,
    usage: fc.oneof(scalar, fc.record({ prompt_tokens: scalar, completion_tokens: scalar })),
    error: fc.oneof(fc.constant(undefined), scalar, fc.record({ message: scalar, code: scalar, param: scalar })),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  nearJson.map((json) => Buffer.from(JSON.stringify(json))),
  fc.array(nearJson).map((events) => Buffer.from(events.map((json) => `data: ${JSON.stringify(json)}\n\n`).join(""))),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.string().map((line) => Buffer.from(`data: ${line}\n\ndata: [DONE]\n\n`)),
);
const answer = fc.record({
  body,
  status: fc.constantFrom(200, 200, 200, 201, 204, 302, 400, 404, 418, 422, 429, 500, 503),
  contentType: fc.constantFrom("application/json", "text/event-stream", "text/html", "", "a/b; c=d"),
});

it("whatever an API answers, there is a good answer or an AppError, and nothing hangs", async () => {
  await using under = await startApiUnderTest({ settings: { maxAttempts: 1, totalTimeoutMs: 20_000 } });
  const { api, fake } = under;
  const calls = [
    () => api.complete(say("x"), never),
    () => collect(api.stream(say("x"), never)),
    () => api.completeStructured({ ...say("x"), schema, schemaName: "x" }, never),
    () => api.embed({ texts: ["x"] }, never),
    () => api.listModels(never),
    () => api.testConnection("chat", never),
  ];
  await fc.assert(
    fc.asyncProperty(answer, fc.nat({ max: calls.length - 1 }), async (fault, which) => {
      // Structured output asks up to four times, a test of a connection up to six.
      fake.failNext({ kind: "body", ...fault }, 8);
      const outcome: unknown = await calls[which]?.().catch((error: unknown) => error);
      fake.clearFaults();
      expect(outcome instanceof Error && !(outcome instanceof AppError) ? outcome : undefined).toBeUndefined();
      const reason = outcome instanceof AppError ? outcome.reason : "MODEL_API_NONE";
      expect(reason).toMatch(/^MODEL_API_(?!TIMEOUT)/);
    }),
    { numRuns: 300 },
  );
});
