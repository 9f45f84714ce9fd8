// The Symbol font (Adobe Symbol encoding) from 0x20 and from 0xA0; a space stands for itself or for nothing of use.
const lower = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ ";
const upper = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ ";
const dingbats: Readonly<Record<number, string>> = {
  0x6c: "●",
  0x6e: "■",
  0x6f: "□",
  0x71: "❑",
  0x76: "❖",
  0x9f: "•",
  0xa7: "▪",
  0xa8: "◻",
  0xd8: "➢",
  0xe0: "→",
  0xfb: "✗",
  0xfc: "✓",
  0xfd: "☒",
  0xfe: "☑",
};

/** Text in a font of charset 2; pictures that have no letter become nothing. */
export function decodeSymbol(bytes: Uint8Array, fontName: string): string {
  const isDingbats = /ding|webd/i.test(fontName);
  return Array.from(bytes, (byte) => symbolOf(byte, isDingbats)).join("");
}

/** The character of a code in the private range U+F020–U+F0FF, where Word puts symbol fonts. */
export function privateSymbol(code: number, fontName: string): string {
  return symbolOf(code & 0xff, /ding|webd/i.test(fontName));
}

function symbolOf(byte: number, isDingbats: boolean): string {
  if (isDingbats) return byte === 0x20 ? " " : (dingbats[byte] ?? "");
  if (byte >= 0x20 && byte < 0x80) return lower[byte - 0x20] ?? "";
  return byte >= 0xa0 ? (upper[byte - 0xa0] ?? "") : "";
}
