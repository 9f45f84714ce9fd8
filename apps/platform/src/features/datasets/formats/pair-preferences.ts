import { hash } from "node:crypto";
import { sizeOf } from "./convert-kind.ts";
import type { DpoExample, KtoExample } from "./example.ts";

/** Characters of examples that wait for their counterpart, before the oldest ones are given up. */
const defaultPendingCharacters = 64 * 1024 * 1024;

export interface PreferencePairing {
  /** The pair that this example completes, if any. */
  add(example: KtoExample): DpoExample | undefined;
  /** How many examples found no counterpart; call it after the last `add`. */
  unpairedCount(): number;
}

/**
 * Makes DPO pairs of KTO examples that have the same prompt and tools, in order: the first with true and the first with false,
 * and so on. Memory is bounded: of examples that wait too long for their counterpart the oldest are given up and counted.
 */
export function pairPreferences(maxPendingCharacters = defaultPendingCharacters): PreferencePairing {
  const waiting = new Map<string, KtoExample[]>();
  let [pending, givenUp] = [0, 0];

  const giveUpOldest = (): void => {
    for (const [key, [first, ...others]] of waiting) {
      if (pending <= maxPendingCharacters) return;
      if (others.length > 0) waiting.set(key, others);
      else waiting.delete(key);
      pending -= first ? sizeOf(first) : 0;
      givenUp++;
    }
  };

  return {
    add(example) {
      const key = promptKey(example);
      const others = waiting.get(key) ?? [];
      const counterpart = others.find(({ label }) => label !== example.label);
      if (!counterpart) {
        waiting.set(key, [...others, example]);
        pending += sizeOf(example);
        giveUpOldest();
        return undefined;
      }
      pending -= sizeOf(counterpart);
      if (others.length > 1)
        waiting.set(
          key,
          others.filter((other) => other !== counterpart),
        );
      else waiting.delete(key);
      return toPair(example, counterpart);
    },
    unpairedCount: () => givenUp + waiting.values().reduce((sum, examples) => sum + examples.length, 0),
  };
}

const promptKey = ({ prompt, tools }: KtoExample): string =>
  hash("sha256", JSON.stringify([prompt, tools ?? ""]), "base64");

function toPair(one: KtoExample, other: KtoExample): DpoExample {
  const [good, bad] = one.label ? [one, other] : [other, one];
  const { prompt, tools } = good;
  const pair = { kind: "dpo", prompt, chosen: good.completion, rejected: bad.completion } as const;
  return tools === undefined ? pair : { ...pair, tools };
}
