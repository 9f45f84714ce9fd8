/*
 * Johab (KS X 1001 annex 3, code page 1361): a Hangul syllable is one bit 1 and three fields of five bits for its initial,
 * medial and final letter; other characters are those of KS X 1001 with rows moved.
 */
const initials = [-1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18];
const medials = [
  -1, -1, -1, 0, 1, 2, 3, 4, -1, -1, 5, 6, 7, 8, 9, 10, -1, -1, 11, 12, 13, 14, 15, 16, -1, -1, 17, 18, 19, 20,
];
const finals = [
  -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -1, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
];
const loneInitials = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
const replacement = "\u{fffd}";

/** Decodes Johab, which neither TextDecoder nor iconv-lite knows. */
export function decodeJohab(bytes: Uint8Array): string {
  const ksx1001 = new TextDecoder("euc-kr");
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] as number;
    if (lead < 0x80) {
      parts.push(lead === 0x5c ? "\\" : String.fromCharCode(lead));
      continue;
    }
    const trail = bytes[at + 1];
    const decoded = trail === undefined ? undefined : decodePair(lead, trail, ksx1001);
    if (decoded !== undefined) at++;
    parts.push(decoded ?? replacement);
  }
  return parts.join("");
}

function decodePair(lead: number, trail: number, ksx1001: InstanceType<typeof TextDecoder>): string | undefined {
  if (trail < 0x31) return undefined;
  if (lead >= 0x84 && lead <= 0xd3) return decodeSyllable((lead << 8) | trail);
  return decodeOther(lead, trail, ksx1001);
}

function decodeSyllable(code: number): string | undefined {
  const initial = initials[(code >> 10) & 31] ?? -1;
  const medial = medials[(code >> 5) & 31] ?? -1;
  const final = finals[code & 31] ?? -1;
  const isWhole = Math.min(initial, medial, final) >= 0;
  return isWhole
    ? String.fromCharCode(0xac00 + (initial * 21 + medial) * 28 + final)
    : loneLetter(initial, medial, final);
}

function loneLetter(initial: number, medial: number, final: number): string | undefined {
  if (final > 0 || initial < 0 === medial < 0) return undefined;
  return initial >= 0 ? loneInitials[initial] : String.fromCharCode(0x314f + medial);
}

// Leads 0xD9–0xDE hold symbols, 0xE0–0xF9 Hanja; each lead covers two rows of KS X 1001.
function decodeOther(lead: number, trail: number, ksx1001: InstanceType<typeof TextDecoder>): string | undefined {
  const isSymbol = lead >= 0xd9 && lead <= 0xde;
  if (!isSymbol && !(lead >= 0xe0 && lead <= 0xf9)) return undefined;
  const isLower = trail >= 0xa1;
  const cell = isLower ? trail - 0xa1 : trail < 0x7f ? trail - 0x31 : trail - 0x91 + 78;
  const firstRow = isSymbol ? (lead - 0xd9) * 2 + 1 : (lead - 0xe0) * 2 + 42;
  const row = firstRow + (isLower ? 1 : 0);
  if (cell < 0 || cell > 93) return undefined;
  const text = ksx1001.decode(Uint8Array.of(0xa0 + row, 0xa1 + cell));
  return text.includes(replacement) ? undefined : text;
}
