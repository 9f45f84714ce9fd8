import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exampleHash } from "../content-hash.ts";
import type { Example, SftExample } from "../example.ts";
import { expandAnswers } from "../exports/trl.ts";
import { findingCodes } from "../finding-codes.ts";
import type { JsonObject, JsonValue } from "../json-value.ts";
import { recogniseRow } from "../recognise-format.ts";
import { cptExample, dpoExample, ktoExample, sftExample } from "../testing/arbitrary-examples.ts";
import { layouts } from "./layouts.ts";

const cases: readonly (readonly [keyof typeof layouts, fc.Arbitrary<Example>])[] = [
  ["alpaca", sftExample(false)],
  ["sharegpt", sftExample(true)],
  ["openai_messages", sftExample(true)],
  ["trl_prompt_completion", sftExample(true).map((example) => expandAnswers(example).at(-1) as SftExample)],
  ["dpo_alpaca", dpoExample(false)],
  ["dpo_sharegpt", dpoExample(true)],
  ["dpo_trl", dpoExample(true)],
  ["kto_alpaca", ktoExample(false)],
  ["kto_sharegpt", ktoExample(true)],
  ["kto_trl", ktoExample(true)],
  ["cpt", cptExample],
];

describe.each(cases)("%s", (name, examples) => {
  const layout = layouts[name];

  test("an example that is written and read again is the same, without a finding", () => {
    fc.assert(
      fc.property(examples, (example) => {
        const told: string[] = [];
        const row = throughFile(layout.render(example));
        const read = layout.read(row, (code, pointer) => told.push(`${code} ${pointer}`));

        expect(told).toEqual([]);
        expect(read).toEqual(example);
        expect(exampleHash(read as Example)).toEqual(exampleHash(example));
      }),
    );
  });

  test("what is written is recognised as what it is", () => {
    fc.assert(
      fc.property(examples, (example) => {
        expect(recogniseRow(throughFile(layout.render(example)))).toEqual({ layout: name, mapping: [] });
      }),
    );
  });

  test("rows of any content are read, or refused with an error, but never throw", () => {
    const names = [...layout.keys, "role", "from", "value", "content"];
    const value = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom("", " ", "user", "human", "gpt", "assistant", "tool", "[]", "{}"),
        fc.constantFrom(0, 1, true, null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value;
    const anyRow = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5, noNullPrototype: true });

    fc.assert(
      fc.property(anyRow, (row) => {
        const told: string[] = [];
        const example = layout.read(row, (code) => told.push(findingCodes[code].severity));
        const rendered = example && layout.render(example);

        expect(rendered !== undefined || told.includes("error")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function throughFile(rendered: object): JsonObject {
  expect(rendered).not.toHaveProperty("refusal");
  return JSON.parse(JSON.stringify((rendered as { value: JsonObject }).value)) as JsonObject;
}
