import { u16, u8 } from "./bytes.ts";

/** Kinds of controls ([MS-DOC] 2.9.78, iType). */
const checkBox = 1;
const dropDown = 2;
const undefinedResult = 25;

/** What a check box or a drop-down list of a form shows, by its state in the data stream; undefined for text fields. */
export function shownControl(state: Buffer): string | undefined {
  const bits = u16(state, 4);
  const kind = bits & 3;
  if (kind !== checkBox && kind !== dropDown) return undefined;
  const nameEnd = skipText(state, 10);
  const result = (bits >> 2) & 0x1f;
  const chosen = result === undefinedResult ? u16(state, nameEnd) : result;
  if (kind === checkBox) return chosen === 1 ? "☒" : "☐";
  // Its format, help, status, and two macros stand before the choices.
  let at = nameEnd + 2;
  for (let left = 5; left > 0; left--) at = skipText(state, at);
  return choiceAt(state, at, chosen);
}

// A text with its length before it and a zero after it.
function skipText(bytes: Buffer, at: number): number {
  return at + 2 + 2 * u16(bytes, at) + 2;
}

const maxChoices = 100;

function choiceAt(bytes: Buffer, tableAt: number, chosen: number): string | undefined {
  const count = Math.min(u16(bytes, tableAt + 2), maxChoices);
  let at = tableAt + 6;
  for (let index = 0; index < count && at + 2 <= bytes.length; index++) {
    const end = at + 2 + 2 * u16(bytes, at);
    if (index === chosen) return bytes.toString("utf16le", at + 2, Math.min(end, bytes.length));
    at = end;
  }
  return undefined;
}

/** Whether bytes are the state of a control of a form ([MS-DOC] 2.9.78). */
export function isControl(state: Buffer): boolean {
  return state.length >= 12 && u16(state, 0) === 0xffff && u16(state, 2) === 0xffff && u8(state, 4) < 0xff;
}
