const structure = /<(?:table|ul|ol|dl|h[1-6]|pre|blockquote|math)\b|<a\s[^>]{0,500}href/i;

/** How much more the HTML must say than plain text that may be no more than a word about a better program. */
const farMore = { factor: 1.5, characters: 50 };

/**
 * Whether the HTML of a message says what its plain text does not: structure, or far more text. Both may be of any length;
 * the time is linear in them.
 */
export function prefersHtml(html: Uint8Array, plainText: string): boolean {
  const source = Buffer.from(html.buffer, html.byteOffset, html.length).toString("latin1");
  if (plainText.trim() === "" || structure.test(source)) return true;
  return countShown(source) > farMore.factor * countWordCharacters(plainText) + farMore.characters;
}

// Letters and digits outside of tags, style sheets, scripts and comments; in UTF-8 read as Latin-1 about one for each letter.
function countShown(source: string): number {
  let count = 0;
  let closing: string | undefined;
  for (const piece of source.split("<")) {
    const name = /^(?:\/?[a-z]+|!--)/i.exec(piece)?.[0].toLowerCase() ?? "";
    if (closing === undefined) closing = closings.get(name);
    else if (name === closing) closing = undefined;
    if (closing === undefined) count += countWordCharacters(piece.slice(piece.lastIndexOf(">") + 1));
  }
  return count;
}

const closings: ReadonlyMap<string, string> = new Map([
  ["style", "/style"],
  ["script", "/script"],
  ["title", "/title"],
]);

function countWordCharacters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
