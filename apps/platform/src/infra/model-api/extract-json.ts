/**
 * The JSON object or list in what a model wrote: all of it, the inside of a code fence, or the first complete one among other
 * words. Undefined when there is none.
 */
export function extractJson(text: string): { readonly value: unknown } | undefined {
  const fenced = /```(?:json)?[^\S\n]*\n([^]*?)\n?```/i.exec(text)?.[1];
  return tryParse(text) ?? (fenced === undefined ? undefined : tryParse(fenced)) ?? findFirst(text);
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { value } : undefined;
  } catch {
    return undefined;
  }
}

// Braces in prose are tried too, a few of them: a bracket that does not begin JSON costs one pass over the text.
const maxTries = 20;

function findFirst(text: string): { readonly value: unknown } | undefined {
  let at = text.search(/[[{]/);
  for (let tries = 0; at >= 0 && tries < maxTries; tries++) {
    const end = endOfValue(text, at);
    const found = end === undefined ? undefined : tryParse(text.slice(at, end));
    if (found !== undefined) return found;
    const next = text.slice(at + 1).search(/[[{]/);
    at = next < 0 ? -1 : at + 1 + next;
  }
  return undefined;
}

/** Where the brackets opened at `start` are closed, strings left out; undefined when they are not. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  const token = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs;
  token.lastIndex = start;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === "{" || found === "[") depth++;
    else if (found === "}" || found === "]") depth--;
    if (depth === 0) return token.lastIndex;
  }
  return undefined;
}
