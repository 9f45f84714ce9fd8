import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createConverter } from "./convert-examples.ts";
import type { Example, KtoExample, SftExample } from "./example.ts";
import { createHashSet } from "./hash-set.ts";
import { layouts } from "./layouts/layouts.ts";
import { pairPreferences } from "./pair-preferences.ts";
import { splitOf } from "./split-examples.ts";
import { createStatistics } from "./statistics.ts";
import { dpoExample, sftExample } from "./testing/arbitrary-examples.ts";

const chat: SftExample = {
  kind: "sft",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
  ],
};
const weather: SftExample = {
  kind: "sft",
  messages: [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "weather", arguments: '{"day":1}' }] },
    { role: "tool", content: "sunny", toolCallId: "call_1" },
    { role: "assistant", content: "Sunny." },
  ],
};

describe("conversion", () => {
  test("what a layout cannot express is refused and counted, what it leaves out is counted", () => {
    const alpaca = createConverter({ layout: "alpaca" });
    const written = [chat, weather].flatMap((example) => alpaca.convert(example));
    const share = createConverter({ layout: "sharegpt" });
    share.convert(weather);

    expect(written).toEqual([{ instruction: "Hi", input: "", output: "Hello", system: "Be brief.", history: [] }]);
    expect(alpaca.counts()).toEqual({ read: 2, written: 1, refused: { HAS_TOOLS: 1 }, losses: {} });
    expect(share.counts()).toEqual({ read: 1, written: 1, refused: {}, losses: { TOOL_CALL_IDS: 1 } });
  });

  const turns = (...roles: readonly ("user" | "assistant" | "system")[]): SftExample => ({
    kind: "sft",
    messages: roles.map((role) => ({ role, content: role })),
  });
  test.each<[string, Example, keyof typeof layouts]>([
    ["NOT_ALTERNATING", turns("user", "user", "assistant"), "sharegpt"],
    ["NO_FINAL_ANSWER", turns("user", "assistant", "user"), "alpaca"],
    ["SYSTEM_NOT_FIRST", turns("user", "system", "assistant"), "sharegpt"],
    ["SEVERAL_TRAINED_TURNS", turns("user", "assistant", "user", "assistant"), "trl_prompt_completion"],
    [
      "HAS_WEIGHTS",
      {
        kind: "sft",
        messages: [
          ...turns("user").messages,
          { role: "assistant", content: "a", weight: 0 },
          ...turns("user", "assistant").messages,
        ],
      },
      "sharegpt",
    ],
    [
      "HAS_NAMES",
      { kind: "sft", messages: [{ role: "user", content: "a", name: "Ann" }, ...turns("assistant").messages] },
      "sharegpt",
    ],
    [
      "EMPTY_SYSTEM",
      { kind: "sft", messages: [{ role: "system", content: "" }, ...turns("user", "assistant").messages] },
      "alpaca",
    ],
    [
      "SEVERAL_ANSWERS",
      {
        kind: "dpo",
        prompt: turns("user").messages,
        chosen: turns("assistant", "user", "assistant").messages,
        rejected: turns("assistant").messages,
      },
      "dpo_alpaca",
    ],
    [
      "TEXT_BESIDE_TOOL_CALLS",
      {
        kind: "sft",
        messages: weather.messages.map((turn) => (turn.toolCalls ? { ...turn, content: "Let me see." } : turn)),
      },
      "sharegpt",
    ],
    ["WRONG_KIND", chat, "dpo_trl"],
  ])("%s", (refusal, example, layout) => {
    expect(layouts[layout].render(example)).toEqual({ refusal });
  });

  test("a DPO pair becomes two KTO rows, and these become the pair again", () => {
    fc.assert(
      fc.property(dpoExample(true), (pair) => {
        const kto = createConverter({ layout: "kto_trl" });
        const rows = kto.convert(pair).map((row) => layouts.kto_trl.read(row, () => undefined) as Example);
        const dpo = createConverter({ layout: "dpo_trl" });
        const pairs = rows.flatMap((row) => dpo.convert(row)).map((row) => layouts.dpo_trl.read(row, () => undefined));

        expect(pairs).toEqual([pair]);
        expect(dpo.counts()).toMatchObject({ read: 2, written: 1, refused: {} });
      }),
    );
  });

  test("SFT becomes text in the style that is asked for", () => {
    const text = (textStyle: "plain" | "chatml"): unknown =>
      createConverter({ layout: "cpt", textStyle }).convert(chat);

    expect(text("plain")).toEqual([{ text: "Be brief.\n\nHi\n\nHello" }]);
    expect(text("chatml")).toEqual([
      {
        text: "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n",
      },
    ]);
  });

  test("Alpaca and ShareGPT say the same, converted either way", () => {
    fc.assert(
      fc.property(sftExample(false), (example) => {
        const [row] = createConverter({ layout: "alpaca" }).convert(example);
        const back = layouts.alpaca.read(row as object as Parameters<typeof layouts.alpaca.read>[0], () => undefined);
        expect(layouts.sharegpt.render(back as Example)).toEqual(layouts.sharegpt.render(example));
      }),
    );
  });
});

describe("pairs of KTO rows", () => {
  const judged = (prompt: string, label: boolean, answer = "a"): KtoExample => ({
    kind: "kto",
    prompt: [{ role: "user", content: prompt }],
    completion: [{ role: "assistant", content: answer }],
    label,
  });

  test("rows without a counterpart are counted", () => {
    const pairing = pairPreferences();
    const rows = [judged("x", true), judged("y", false), judged("x", true), judged("x", false), judged("x", false)];
    const pairs = rows.map((row) => pairing.add(row)).filter(Boolean);

    expect(pairs).toHaveLength(2);
    expect(pairing.unpairedCount()).toBe(1);
  });

  test("memory is bounded: the oldest rows are given up, and counted", () => {
    const pairing = pairPreferences(1000);
    for (let index = 0; index < 100; index++) pairing.add(judged(`${index}`, true, "a".repeat(100)));

    expect(pairing.add(judged("99", false))).toBeDefined();
    expect(pairing.add(judged("0", false))).toBeUndefined();
    expect(pairing.unpairedCount()).toBe(100);
  });
});

test("the split depends on seed and content alone, and meets its share", () => {
  const hashes = Array.from({ length: 4000 }, (_, index) => Buffer.from(`content ${index}`));
  const split = (seed: string): string =>
    hashes.map((hash) => splitOf(hash, { seed, validationFraction: 0.1 })[0]).join("");
  const share =
    split("a")
      .split("")
      .filter((side) => side === "v").length / hashes.length;

  expect(split("a")).toBe(split("a"));
  expect(split("a")).not.toBe(split("b"));
  expect(share).toBeGreaterThan(0.08);
  expect(share).toBeLessThan(0.12);
});

test("a hash set knows what was added, and grows", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 16, maxLength: 16 }), { maxLength: 60 }), (hashes) => {
      const [set, known] = [createHashSet(), new Set<string>()];
      for (const bytes of hashes.map((hash) => Buffer.from(hash)).filter((hash) => hash.some((byte) => byte > 0))) {
        expect(set.has(bytes)).toBe(known.has(bytes.toString("hex")));
        expect(set.add(bytes)).toBe(!known.has(bytes.toString("hex")));
        known.add(bytes.toString("hex"));
      }
      expect(set.size).toBe(known.size);
    }),
  );
  const many = createHashSet();
  const keys = Array.from({ length: 5000 }, (_, index) => Buffer.from(`${index}`.padStart(16, "0")));
  expect(keys.every((key) => many.add(key)) && keys.every((key) => many.has(key) && !many.add(key))).toBe(true);
});

test("statistics count characters, turns, lengths and labels", () => {
  const statistics = createStatistics();
  for (const example of [chat, weather]) statistics.add(example);

  expect(statistics.finish()).toEqual({
    recordCount: 2,
    characters: 44,
    turns: 6,
    characterRange: { min: 16, max: 28, mean: 22 },
    lengths: [
      { from: 0, to: 16, count: 0 },
      { from: 16, to: 32, count: 2 },
    ],
    turnCounts: [
      { turns: 2, count: 1 },
      { turns: 4, count: 1 },
    ],
    labels: undefined,
  });
});
