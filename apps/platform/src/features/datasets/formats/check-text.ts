import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, pointerTo } from "./json-value.ts";
import type { Report } from "./layouts/layout.ts";

/** Control tokens of the chat templates in use. */
const specialTokens =
  /<\|(?:im_start|im_end|im_sep|endoftext|end_of_text|begin_of_text|eot_id|start_header_id|end_header_id|eom_id|end|user|assistant|system|observation|channel|message|return|call|python_tag)\|>|<\/?s>|<start_of_turn>|<end_of_turn>|\[\/?INST\]|<<\/?SYS>>|<｜[^｜>]{1,40}｜>|\[gMASK\]|<(?:bos|eos|pad)>/;
const beginOfText = /^\s*(?:<s>|<bos>|<\|begin_of_text\|>|<\|startoftext\|>|<｜begin▁of▁sentence｜>|\[gMASK\]<sop>)/;
const mediaKeys = ["images", "image", "videos", "video", "audios", "audio"];

/**
 * Reports what spoils training wherever it stands in a row: broken Unicode, control tokens, Windows line ends, media. Each
 * code once per row, at its first place.
 */
export function checkText(row: JsonObject, raw: string, report: Report): void {
  for (const key of mediaKeys) {
    const value = row[key];
    if (value !== undefined && value !== null && !(isJsonArray(value) && value.length === 0))
      report("MEDIA_IGNORED", pointerTo("", key));
  }
  // The text of the row shows at once that nothing of this can be in it; few rows need the walk.
  if (!/\\[uUrR]|[<[\u{fffd}\r]/u.test(raw)) return;
  const seen = new Set<string>();
  visitStrings(row, "", (text, pointer) => {
    for (const code of faultsOf(text)) {
      if (seen.has(code)) continue;
      seen.add(code);
      report(code, pointer, code === "SPECIAL_TOKEN" ? `It is ${specialTokens.exec(text)?.[0]}.` : undefined);
    }
  });
}

type TextFault = "LONE_SURROGATE" | "REPLACEMENT_CHARACTER" | "WINDOWS_NEWLINE" | "DUPLICATE_BOS" | "SPECIAL_TOKEN";

function* faultsOf(text: string): Generator<TextFault> {
  if (!text.isWellFormed()) yield "LONE_SURROGATE";
  if (text.includes("\u{fffd}")) yield "REPLACEMENT_CHARACTER";
  if (text.includes("\r\n")) yield "WINDOWS_NEWLINE";
  if (beginOfText.test(text)) yield "DUPLICATE_BOS";
  else if (specialTokens.test(text)) yield "SPECIAL_TOKEN";
}

function visitStrings(value: JsonValue, pointer: string, visit: (text: string, pointer: string) => void): void {
  if (typeof value === "string") visit(value, pointer);
  else if (isJsonArray(value)) value.forEach((item, index) => visitStrings(item, pointerTo(pointer, index), visit));
  else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) visitStrings(item, pointerTo(pointer, key), visit);
  }
}
