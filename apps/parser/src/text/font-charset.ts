/** Encoding of text in a font, by the character set that Windows and its formats give the font; 0 and 1 leave it to the document. */
const encodings: Readonly<Record<number, string>> = {
  77: "macintosh",
  78: "shift_jis",
  79: "euc-kr",
  80: "gb18030",
  81: "big5",
  83: "macgreek",
  85: "macgreek",
  86: "macturkish",
  88: "maccenteuro",
  89: "x-mac-cyrillic",
  128: "shift_jis",
  129: "euc-kr",
  130: "johab",
  134: "gb18030",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
  254: "cp437",
  255: "cp850",
};

/** The character set of fonts whose characters are symbols. */
export const symbolCharset = 2;

/** The encoding of a font's character set; undefined where the document decides. */
export function encodingOfCharset(charset: number): string | undefined {
  return encodings[charset];
}
