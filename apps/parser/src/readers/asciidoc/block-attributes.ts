import type { BlockAttributes } from "./scope.ts";

const quoted = /^([\w-]{1,60})\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*))$/s;

/** Adds a line such as `[source,python]` or `.Title` to what is known of the block below. */
export function addAttributeLine(line: string, before: BlockAttributes): BlockAttributes {
  if (line.startsWith(".")) return { ...before, title: line.slice(1).trim() };
  const content = line.trim().slice(1, -1);
  if (content.startsWith("[")) return before;
  const positional: string[] = [];
  const named = new Map(before.named);
  for (const part of splitAttributes(content)) {
    const [, name, ...values] = quoted.exec(part) ?? [];
    if (name === undefined) positional.push(part);
    else named.set(name, values.find((value) => value !== undefined) ?? "");
  }
  const [first = "", ...rest] = positional;
  addOptions(first, named);
  const style = /^[^.#%]*/.exec(first)?.[0] ?? "";
  return { ...before, style: style === "" ? before.style : style, positional: rest, named };
}

// `%header%footer` is short for `options="header,footer"`.
function addOptions(style: string, named: Map<string, string>): void {
  for (const option of style.matchAll(/%([\w-]{1,40})/g)) {
    named.set("options", `${named.get("options") ?? ""},${option[1] ?? ""}`);
  }
}

/** Parts at commas outside of quotes. */
export function splitAttributes(content: string): string[] {
  const parts: string[] = [];
  let part = "";
  let quote = "";
  for (const character of content) {
    if (character === quote) quote = "";
    else if (quote === "" && (character === '"' || character === "'") && /(?:^|=)\s*$/.test(part.slice(-80)))
      quote = character;
    if (character === "," && quote === "") {
      parts.push(part.trim());
      part = "";
    } else part += character;
  }
  return [...parts, part.trim()];
}

export function isAttributeLine(line: string): boolean {
  return /^\[[^\]\n]{0,1000}\]$|^\[\[[^\]]{0,300}\]\]$/.test(line.trimEnd()) || /^\.[^\s.]/.test(line);
}
