/** Longest run of characters, in order, that both texts share, beside their lengths: 1 is the same text, 0 nothing in common. */
export function indelSimilarity(a: string, b: string): number {
  if (a.length + b.length === 0) return 1;
  return (2 * commonLength(a, b)) / (a.length + b.length);
}

/** Hyyrö, “Bit-parallel LCS-length computation revisited” (2004): a bit for each character of `a`. */
function commonLength(a: string, b: string): number {
  const places = new Map<string, bigint>();
  for (let at = 0; at < a.length; at++) {
    const character = a[at] as string;
    places.set(character, (places.get(character) ?? 0n) | (1n << BigInt(at)));
  }
  const all = (1n << BigInt(a.length)) - 1n;
  let open = all;
  for (const character of b) {
    const match = open & (places.get(character) ?? 0n);
    open = ((open + match) | (open - match)) & all;
  }
  return a.length - open.toString(2).replaceAll("0", "").length;
}

/** Letters and digits alone: what stands between them is the layout's business. */
export function bareText(text: string): string {
  return text.normalize("NFKC").replace(/[^\p{L}\p{N}]+/gu, "");
}

/** One space between words, words broken at line ends joined. */
export function spacedText(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/(\p{L})[-\u00ad\u2010]\s*\n\s*(?=\p{Ll})/gu, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
