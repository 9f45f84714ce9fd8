// Windows code pages of languages, by the primary language of a language identifier ([MS-LCID]).
const encodings: Readonly<Record<number, string>> = {
  0x01: "windows-1256",
  0x02: "windows-1251",
  0x05: "windows-1250",
  0x08: "windows-1253",
  0x0d: "windows-1255",
  0x0e: "windows-1250",
  0x11: "shift_jis",
  0x12: "euc-kr",
  0x15: "windows-1250",
  0x18: "windows-1250",
  0x19: "windows-1251",
  0x1a: "windows-1250",
  0x1b: "windows-1250",
  0x1c: "windows-1250",
  0x1e: "windows-874",
  0x1f: "windows-1254",
  0x20: "windows-1256",
  0x22: "windows-1251",
  0x23: "windows-1251",
  0x24: "windows-1250",
  0x25: "windows-1257",
  0x26: "windows-1257",
  0x27: "windows-1257",
  0x29: "windows-1256",
  0x2a: "windows-1258",
  0x2f: "windows-1251",
};

const serbianCyrillic = 0x0c1a;
const chinese = 0x04;
/** Chinese of the People's Republic and of Singapore. */
const simplified: ReadonlySet<number> = new Set([0x0804, 0x1004]);

/** The code page in which Windows of a language kept its text. */
export function encodingOfLanguage(languageId: number): string {
  if (languageId === serbianCyrillic) return "windows-1251";
  const primary = languageId & 0x3ff;
  if (primary === chinese) return simplified.has(languageId) ? "gb18030" : "big5";
  return encodings[primary] ?? "windows-1252";
}
