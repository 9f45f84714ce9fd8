import { describe, expect, test } from "vitest";
import { good, validateRows } from "./testing/dataset-rows.ts";

describe("recognition", () => {
  test.each([
    ["alpaca", good.alpaca],
    ["sharegpt", good.sharegpt],
    ["openai_messages", good.openai],
    ["dpo_alpaca", good.dpoAlpaca],
    ["dpo_sharegpt", good.dpoShare],
    ["dpo_trl", good.dpoTrl],
    ["kto_trl", good.ktoTrl],
    ["kto_alpaca", { ...good.alpaca, kto_tag: true }],
    ["kto_sharegpt", { ...good.sharegpt, kto_tag: true }],
    ["cpt", good.cpt],
  ])("%s", async (layout, row) => {
    expect((await validateRows([row])).recognised).toMatchObject([{ layout, confidence: 1, mapping: [] }]);
  });

  test.each<[object, string, object]>([
    [{ prompt: "a", response: "b" }, "alpaca", { prompt: "instruction", response: "output" }],
    [{ question: "a", answer: "b" }, "alpaca", { question: "instruction", answer: "output" }],
    [{ prompt: "a", completion: "b" }, "alpaca", { prompt: "instruction", completion: "output" }],
    [{ Question: "a", Answer: "b" }, "alpaca", { Question: "instruction", Answer: "output" }],
    [{ instruction: "a", response: "b" }, "alpaca", { response: "output" }],
    [{ 问题: "a", 答案: "b" }, "alpaca", { 问题: "instruction", 答案: "output" }],
    [{ content: "a" }, "cpt", { content: "text" }],
    [{ question: "a", chosen: "b", rejected: "c" }, "dpo_alpaca", { question: "instruction" }],
    [{ dialog: good.openai.messages }, "openai_messages", { dialog: "messages" }],
    [{ messages: good.sharegpt.conversations }, "sharegpt", { messages: "conversations" }],
  ])("offers to rename the keys of %j", async (row, layout, names) => {
    const { recognised } = await validateRows([row]);

    expect(recognised[0]?.layout).toBe(layout);
    expect(Object.fromEntries(recognised[0]?.mapping.map(({ from, to }) => [from, to]) ?? [])).toEqual(names);
  });

  test("a file that resembles nothing is not usable, and says what is missing", async () => {
    const { layout, counts, findings } = await validateRows([{ a: 1 }, { b: 2 }]);

    expect({ layout, counts }).toMatchObject({ layout: undefined, counts: { raw: 2, valid: 0, invalid: 2 } });
    expect(findings.map(({ code }) => code)).toEqual(expect.arrayContaining(["FORMAT_UNKNOWN", "KEY_MISSING"]));
  });
});
