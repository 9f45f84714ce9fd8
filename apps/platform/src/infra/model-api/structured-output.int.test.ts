import type { FakeAnswer } from "@attune/testkit/fake-model-api-protocol.ts";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { never, say, startApiUnderTest, type UnderTestOptions } from "./model-api-under-test.contract.ts";

const pairs = z.object({ pairs: z.array(z.object({ question: z.string(), answer: z.string() })).min(1) });
const good = JSON.stringify({ pairs: [{ question: "Who?", answer: "Me." }] });
const request = { ...say("Make a pair."), schema: pairs, schemaName: "pairs" };

/** Answers with each text in turn, the last one for ever. */
function inTurn(...answers: (string | FakeAnswer)[]) {
  let at = 0;
  return () => answers[Math.min(at++, answers.length - 1)] ?? "";
}

async function askWith(fake: NonNullable<UnderTestOptions["fake"]>) {
  await using under = await startApiUnderTest({ fake });
  const result = await under.api.completeStructured(request, never).catch((error: unknown) => error);
  const bodies = under.fake.requests.map(
    ({ body }) => body as { response_format?: { type: string }; messages: unknown[] },
  );
  return { result, bodies, modes: bodies.map(({ response_format }) => response_format?.type ?? "prompt") };
}

describe("structured output", () => {
  it("is constrained by the schema where the API can do it", async () => {
    const { result, bodies } = await askWith({});
    expect(result).toMatchObject({ mode: "json_schema", isRepaired: false });
    expect((result as { value: unknown }).value).toEqual({
      pairs: [{ question: "Make a pair.", answer: "Make a pair." }],
    });
    expect(bodies[0]?.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "pairs", strict: true, schema: { additionalProperties: false, required: ["pairs"] } },
    });
  });

  it("goes to weaker ways where the API refuses stronger ones, and remembers which", async () => {
    const answer = () => good;
    await using under = await startApiUnderTest({ fake: { refuses: ["json_schema"], answer } });
    expect(await under.api.completeStructured(request, never)).toMatchObject({ mode: "json_object" });
    expect(await under.open().completeStructured(request, never)).toMatchObject({ mode: "json_object" });
    expect(under.fake.requests).toHaveLength(3);
    const plain = await askWith({ refuses: ["json_schema", "json_object"], answer });
    expect(plain.result).toMatchObject({ mode: "prompt" });
    expect(plain.modes).toEqual(["json_schema", "json_object", "prompt"]);
  });

  it("asks without strictness for a schema that strict mode does not take", async () => {
    await using under = await startApiUnderTest();
    const schema = z.object({ name: z.string(), note: z.string().optional() });
    await under.api.completeStructured({ ...say("x"), schema, schemaName: "x" }, never);
    expect(under.fake.requests[0]?.body).toMatchObject({ response_format: { json_schema: { strict: false } } });
  });

  it.each([
    ["a code fence", "```json\n" + good + "\n```"],
    ["words around it", `Here you are: ${good} I hope {that} helps.`],
    ["its reasoning before it", `<think>\n{"pairs": "no"}\n</think>\n\n${good}`],
  ])("is found inside %s", async (_name, text) => {
    const { result } = await askWith({ ignores: ["response_format"], answer: () => text });
    expect(result).toMatchObject({ value: JSON.parse(good) as unknown, isRepaired: false });
  });

  it("is repaired once, with what is wrong told to the model", async () => {
    const { result, bodies } = await askWith({ answer: inTurn('{"pairs":[{"question":"Who?"}]}', good) });
    expect(result).toMatchObject({ isRepaired: true, value: JSON.parse(good) as unknown });
    expect(bodies).toHaveLength(2);
    expect(JSON.stringify(bodies[1]?.messages)).toContain("at pairs.0.answer");
    const { answer } = result as { answer: { usage: { completionTokens: number } } };
    expect(answer.usage.completionTokens).toBe(2);
  });

  it("is shown the schema when the API ignored it", async () => {
    const { result, bodies } = await askWith({ ignores: ["response_format"], answer: inTurn("Sure! Who? Me.", good) });
    expect(result).toMatchObject({ isRepaired: true, mode: "json_schema" });
    expect(JSON.stringify(bodies[0]?.messages)).not.toContain("JSON Schema");
    expect(bodies[1]?.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining('"required":["question","answer"]') as string,
    });
  });

  it("fails when the repair does not fit either", async () => {
    const { result, bodies } = await askWith({ answer: () => "I would rather not." });
    expect(result).toMatchObject({ reason: "MODEL_API_OUTPUT_INVALID" });
    expect(String(result)).toContain("There is no complete JSON object in it.");
    expect(bodies).toHaveLength(2);
  });

  it("fails at once when it was cut, because it would be cut again", async () => {
    const { result, bodies } = await askWith({ answer: () => ({ content: '{"pairs":[', finishReason: "length" }) });
    expect(String(result)).toContain("cut at the limit of tokens");
    expect(bodies).toHaveLength(1);
  });
});
