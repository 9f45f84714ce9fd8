import { decodeText } from "../../text/decode-text.ts";
import type { ReaderInput, ReadOptions } from "../reader.ts";

const headBytes = 16_384;

/** The text of a page, in the encoding asked for, or of its BOM, its envelope, its own declaration, or by its bytes. */
export function decodeHtml(input: ReaderInput, options: ReadOptions): string {
  const declared = [input.charset, declaredCharset(input.bytes)].find(
    (label) => label !== undefined && isEncoding(label),
  );
  const { text } = decodeText(input.bytes, {
    ...(options.encoding !== undefined && { encoding: options.encoding }),
    ...(declared !== undefined && { charset: declared }),
  });
  return text;
}

// `<?xml encoding>`, `<meta charset>` and `<meta http-equiv>`; UTF-16 in a declaration that could be read is UTF-8.
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes)).toString("latin1");
  const label =
    /<meta[^>]{1,1000}charset\s*=\s*["']?\s*([\w.:-]{1,60})/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{1,200}encoding\s*=\s*["']([\w.:-]{1,60})/i.exec(head)?.[1];
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "x-user-defined";
  } catch {
    return false; // not a label of the Encoding standard
  }
}
