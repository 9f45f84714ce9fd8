/** Adobe Symbol encoding from 0x20 on, as Unicode; a space stands for what has no character. */
const symbolEncoding =
  " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧ∆ΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ " +
  " ".repeat(32) +
  "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ ";

/** Code positions of Wingdings that documents use, as Unicode. */
const wingdings: Readonly<Record<number, string>> = {
  0x21: "✏",
  0x22: "✂",
  0x28: "☎",
  0x2a: "✉",
  0x36: "⌛",
  0x41: "✌",
  0x43: "👍",
  0x44: "👎",
  0x45: "☜",
  0x46: "☞",
  0x47: "☝",
  0x48: "☟",
  0x4a: "☺",
  0x4b: "😐",
  0x4c: "☹",
  0x51: "✈",
  0x52: "☼",
  0x6c: "●",
  0x6d: "❍",
  0x6e: "■",
  0x6f: "□",
  0x71: "❑",
  0x72: "❒",
  0x73: "⬧",
  0x74: "⧫",
  0x75: "◆",
  0x76: "❖",
  0x77: "⬥",
  0x9f: "•",
  0xa1: "○",
  0xa4: "◉",
  0xa7: "▪",
  0xa8: "◻",
  0xaa: "✦",
  0xab: "★",
  0xd5: "⌫",
  0xd8: "➢",
  0xdc: "➲",
  0xdf: "←",
  0xe0: "→",
  0xe1: "↑",
  0xe2: "↓",
  0xe7: "⇐",
  0xe8: "➔",
  0xe9: "⇑",
  0xea: "⇓",
  0xef: "⇦",
  0xf0: "⇨",
  0xf3: "⇔",
  0xfb: "✗",
  0xfc: "✓",
  0xfd: "☒",
  0xfe: "☑",
};

const wingdings2: Readonly<Record<number, string>> = {
  0x4f: "✗",
  0x50: "✓",
  0x51: "☒",
  0x52: "☑",
  0x53: "☒",
  0x54: "☒",
  0x97: "•",
  0xa3: "□",
};

const circledDigits = "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿";

/**
 * Text set in one of the symbol fonts as Unicode: private-use code points U+F020…F0FF by the font's own encoding, other
 * characters too when the font is one of these. Text in other fonts comes back as it is.
 */
export function decodeSymbolText(text: string, font: string | undefined): string {
  const decode = decoderOf(font);
  const hasPrivateUse = /[\uf020-\uf0ff]/.test(text);
  if (decode === undefined && !hasPrivateUse) return text;
  let decoded = "";
  for (const character of text) decoded += decodeCharacter(character, decode);
  return decoded;
}

type Decode = (code: number) => string | undefined;

function decodeCharacter(character: string, decode: Decode | undefined): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xf020 && code <= 0xf0ff) return (decode ?? decodeSymbol)(code - 0xf000) ?? character;
  return code > 0x20 && code <= 0xff && decode !== undefined ? (decode(code) ?? character) : character;
}

function decoderOf(font: string | undefined): Decode | undefined {
  switch (font?.toLowerCase()) {
    case "symbol":
      return decodeSymbol;
    case "wingdings":
      return decodeWingdings;
    case "wingdings 2":
      return (code) => wingdings2[code];
    default:
      return undefined;
  }
}

function decodeSymbol(code: number): string | undefined {
  const character = symbolEncoding[code - 0x20];
  return character === undefined || (character === " " && code !== 0x20) ? undefined : character;
}

function decodeWingdings(code: number): string | undefined {
  if (code >= 0x80 && code <= 0x95) return circledDigits[code - 0x80];
  return wingdings[code];
}
