import fc from "fast-check";
import type { DpoExample, Example, KtoExample, Message, SftExample, ToolCall } from "../example.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((body) => `${body}.`);
const call: fc.Arbitrary<ToolCall> = fc.record({
  name: fc.constantFrom("search", "add"),
  arguments: fc
    .dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()), { maxKeys: 2 })
    .map((given) => JSON.stringify(given)),
});
const system = fc.option(
  text.map((content): Message => ({ role: "system", content })),
  { nil: undefined },
);
const user = text.map((content): Message => ({ role: "user", content }));
const assistant = text.map((content): Message => ({ role: "assistant", content }));

/** A question, perhaps calls of tools with their results, and an answer. */
const exchange = (hasTools: boolean): fc.Arbitrary<Message[]> => {
  const plain = fc.tuple(user, assistant) as fc.Arbitrary<Message[]>;
  if (!hasTools) return plain;
  const toolTurns = fc
    .array(call, { minLength: 1, maxLength: 3 })
    .chain((toolCalls) =>
      fc
        .tuple(...toolCalls.map(() => text))
        .map((results): Message[] => [
          { role: "assistant", content: "", toolCalls },
          ...results.map((content): Message => ({ role: "tool", content })),
        ]),
    );
  return fc.oneof(
    plain,
    fc.tuple(user, toolTurns, assistant).map(([question, turns, answer]) => [question, ...turns, answer]),
  );
};

const conversation = (hasTools: boolean): fc.Arbitrary<Message[]> =>
  fc
    .tuple(system, fc.array(exchange(hasTools), { minLength: 1, maxLength: 3 }))
    .map(([first, exchanges]) => [...(first ? [first] : []), ...exchanges.flat()]);

const tools = fc.option(fc.constantFrom('[{"type": "function", "function": {"name": "search"}}]'), { nil: undefined });
const withTools = <T extends object>(example: T, given: string | undefined): T =>
  given === undefined ? example : { ...example, tools: given };

export const sftExample = (hasTools: boolean): fc.Arbitrary<SftExample> =>
  fc
    .tuple(conversation(hasTools), tools)
    .map(([messages, given]) => withTools({ kind: "sft", messages }, hasTools ? given : undefined));

const preference = (
  hasTools: boolean,
): fc.Arbitrary<{ prompt: Message[]; answer: Message; tools: string | undefined }> =>
  sftExample(hasTools).map(({ messages, tools: given }) => ({
    prompt: messages.slice(0, -1),
    answer: messages.at(-1) as Message,
    tools: given,
  }));

export const dpoExample = (hasTools: boolean): fc.Arbitrary<DpoExample> =>
  fc
    .tuple(preference(hasTools), assistant)
    .map(([{ prompt, answer, tools: given }, rejected]) =>
      withTools({ kind: "dpo", prompt, chosen: [answer], rejected: [rejected] }, given),
    );

export const ktoExample = (hasTools: boolean): fc.Arbitrary<KtoExample> =>
  fc
    .tuple(preference(hasTools), fc.boolean())
    .map(([{ prompt, answer, tools: given }, label]) =>
      withTools({ kind: "kto", prompt, completion: [answer], label }, given),
    );

export const cptExample: fc.Arbitrary<Example> = text.map((content) => ({ kind: "cpt", text: content }));
