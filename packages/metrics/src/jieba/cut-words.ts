import type { JiebaDictionary } from "./jieba-dictionary.ts";

export interface JiebaDeps {
  readonly dictionary: JiebaDictionary;
  /** Splits ideographs that no word of the dictionary covers, by jieba's hidden Markov model. */
  readonly cutUnknown: (ideographs: string) => readonly string[];
}

/**
 * The words of a text as jieba 0.42.1 cuts them (`jieba.cut` in accurate mode with its hidden Markov model): of all ways to
 * cut into words of the dictionary the likeliest. White space and other characters are tokens of their own, so that the
 * tokens make up the text again. Time grows with the length of the text.
 */
export function cutWords(text: string, deps: JiebaDeps): string[] {
  const tokens: string[] = [];
  let end = 0;
  for (const { 0: block, index } of text.matchAll(/[\u4E00-\u9FD5a-zA-Z0-9+#&._%-]+/g)) {
    cutOther(text.slice(end, index), tokens);
    cutBlock(block, deps, tokens);
    end = index + block.length;
  }
  cutOther(text.slice(end), tokens);
  return tokens;
}

/** Single characters; only the two of a line end of Windows stay together. */
function cutOther(text: string, tokens: string[]): void {
  for (const character of text) {
    if (character === "\n" && tokens.at(-1) === "\r") tokens[tokens.length - 1] = "\r\n";
    else tokens.push(character);
  }
}

function cutBlock(block: string, deps: JiebaDeps, tokens: string[]): void {
  const ends = findLikeliestEnds(block, deps.dictionary);
  let unknownStart = 0;
  let at = 0;
  while (at < block.length) {
    const end = ends[at] as number;
    if (end - at > 1) {
      cutSingles(block.slice(unknownStart, at), deps, tokens);
      tokens.push(block.slice(at, end));
      unknownStart = end;
    }
    at = end;
  }
  cutSingles(block.slice(unknownStart), deps, tokens);
}

/** For each place the end of the word that starts the likeliest cut of the rest; of equally likely ones the longest word. */
function findLikeliestEnds(block: string, { trie, logShares, unknownLogShare }: JiebaDictionary): Int32Array {
  const ends = new Int32Array(block.length);
  const best = new Float64Array(block.length + 1);
  for (let start = block.length - 1; start >= 0; start--) {
    let isKnown = false;
    best[start] = Number.NEGATIVE_INFINITY;
    let node = 0;
    for (let at = start; at < block.length; at++) {
      node = trie.find(node, block.charCodeAt(at));
      if (node === 0) break;
      const logShare = logShares[node] as number;
      if (Number.isNaN(logShare)) continue;
      isKnown = true;
      const likelihood = logShare + (best[at + 1] as number);
      if (likelihood < (best[start] as number)) continue;
      best[start] = likelihood;
      ends[start] = at + 1;
    }
    if (isKnown) continue;
    best[start] = unknownLogShare + (best[start + 1] as number);
    ends[start] = start + 1;
  }
  return ends;
}

/** Characters that stand alone in the likeliest cut: a new word may hide in them. */
function cutSingles(singles: string, deps: JiebaDeps, tokens: string[]): void {
  if (singles.length <= 1) {
    if (singles !== "") tokens.push(singles);
  } else if (isWord(singles, deps.dictionary)) {
    for (const single of singles) tokens.push(single);
  } else {
    for (const [part] of singles.matchAll(unknownParts)) cutPart(part, deps, tokens);
  }
}

const unknownParts = /[\u4E00-\u9FD5]+|[a-zA-Z0-9]+(?:\.[0-9]+)?%?|[^\u4E00-\u9FD5a-zA-Z0-9]+/g;

function cutPart(part: string, { cutUnknown }: JiebaDeps, tokens: string[]): void {
  if (part.charCodeAt(0) < 0x4e00) tokens.push(part);
  else for (const word of cutUnknown(part)) tokens.push(word);
}

function isWord(text: string, { trie, logShares }: JiebaDictionary): boolean {
  let node = 0;
  for (let at = 0; at < text.length; at++) {
    node = trie.find(node, text.charCodeAt(at));
    if (node === 0) return false;
  }
  return !Number.isNaN(logShares[node]);
}
