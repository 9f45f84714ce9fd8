import { findDecoder } from "../../text/text-decoder.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadContext, ReaderInput } from "../reader.ts";

const headBytes = 16_384;

/** The text of a page, in the encoding asked for, or of its BOM, its envelope, its own declaration, or by its bytes. */
export function decodeHtml({ bytes, charset }: ReaderInput, context: ReadContext): string {
  const known = [charset, declaredCharset(bytes)].find(
    (label) => label !== undefined && findDecoder(label) !== undefined,
  );
  return readInputText({ bytes, ...(known !== undefined && { charset: known }) }, context);
}

// `<meta charset>`, `<meta http-equiv>` and `<?xml encoding>`; UTF-16 in a declaration that could be read is UTF-8.
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes)).toString("latin1");
  const label =
    /<meta[^>]{1,1000}charset\s*=\s*["']?\s*([\w.:-]{1,60})/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{1,200}encoding\s*=\s*["']([\w.:-]{1,60})/i.exec(head)?.[1];
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}
