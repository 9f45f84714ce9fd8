// Windows code page identifiers that are not simply `windows-N`.
const names: Readonly<Record<number, string>> = {
  437: "cp437",
  850: "cp850",
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  20127: "us-ascii",
  20866: "koi8-r",
  21866: "koi8-u",
  20932: "euc-jp",
  50220: "iso-2022-jp",
  50221: "iso-2022-jp",
  50222: "iso-2022-jp",
  50225: "euc-kr",
  51932: "euc-jp",
  51936: "gbk",
  51949: "euc-kr",
  52936: "gbk",
  54936: "gb18030",
  65001: "utf-8",
};

/** The encoding label for a Windows code page, or undefined for an unknown one. */
export function codePageName(codePage: number | undefined): string | undefined {
  if (codePage === undefined) return undefined;
  if (codePage >= 1250 && codePage <= 1258) return `windows-${codePage}`;
  if (codePage >= 28591 && codePage <= 28605) return `iso-8859-${codePage - 28590}`;
  return names[codePage];
}
