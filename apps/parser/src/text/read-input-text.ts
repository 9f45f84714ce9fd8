import { type DecodedText, decodeText } from "./decode-text.ts";

/** What of a reader's input and context decoding needs; those of `readers/reader.ts` fit. */
export interface TextInput {
  readonly bytes: Uint8Array;
  readonly charset?: string;
}

export interface TextContext {
  readonly options: { readonly encoding?: string };
  warn(sentence: string): void;
}

const unicode = /^utf-/;

/**
 * The text of a file with `\n` line ends, whatever its encoding; warns when the encoding was guessed or bytes were lost.
 * @throws AppError `OVERRIDE_INVALID` when the override `encoding` names none.
 */
export function readInputText(input: TextInput, context: TextContext): string {
  const { encoding } = context.options;
  const decoded = decodeText(input.bytes, {
    ...(encoding !== undefined && { encoding }),
    ...(input.charset !== undefined && { charset: input.charset }),
  });
  warnOfDoubts(decoded, context);
  return decoded.text.replace(/\r\n?/g, "\n");
}

function warnOfDoubts({ encoding, origin, replacedCount }: DecodedText, context: TextContext): void {
  if (origin === "detected" && !unicode.test(encoding)) {
    context.warn(`The text is in ${encoding}, detected from its bytes.`);
  }
  if (replacedCount > 0) {
    context.warn(`${replacedCount} bytes of the text mean nothing in ${encoding} and could not be read.`);
  }
}
