import { TokenTable } from "./token-table.ts";
import type { Tokens } from "./tokens.ts";

/** Tokens of several texts as numbers: equal tokens get equal numbers, from 1 up in the order of their first use. */
export function numberTokens(texts: readonly Tokens[]): readonly Int32Array[] {
  let count = 0;
  for (const { bounds } of texts) count += bounds.length / 2;
  const table = count <= kept.capacity ? kept : new TokenTable(count);
  table.reset(count);
  const numbered = texts.map(({ text, bounds }) => {
    table.open(text);
    const symbols = new Int32Array(bounds.length / 2);
    for (let index = 0; index < symbols.length; index++)
      symbols[index] = table.number(bounds[2 * index] as number, bounds[2 * index + 1] as number);
    return symbols;
  });
  table.reset(0);
  return numbered;
}

// Calls never overlap, so that all share one table.
const kept = new TokenTable(2 ** 14);
