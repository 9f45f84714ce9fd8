import { AppError } from "@attune/service-kit/app-error.ts";
import type { ReadDocument } from "../reader.ts";
import { Interpreter } from "./interpreter.ts";
import { tokenize } from "./tokenize.ts";

/**
 * Text, headings, lists, tables, links and notes of an RTF file.
 * @throws AppError `DOCUMENT_CORRUPT` when the bytes do not begin as RTF does.
 */
export const readRtf: ReadDocument = (input, context) => {
  const start = Buffer.from(input.bytes.subarray(0, 128)).indexOf("{\\rt");
  if (start === -1) throw new AppError("DOCUMENT_CORRUPT", { detail: "It does not begin with an RTF header." });
  const interpreter = new Interpreter(context);
  for (const token of tokenize(input.bytes.subarray(start))) interpreter.take(token);
  const { paragraph } = interpreter.state;
  interpreter.finish();
  const blocks = interpreter.builder.finish(paragraph);
  tellLeftOut(interpreter);
  return { metadata: interpreter.metadata(), blocks };
};

function tellLeftOut({ context, hasHiddenText, hasDeletedText, leftOut }: Interpreter): void {
  if (hasHiddenText) context.warn("Hidden text of the document was left out.");
  if (hasDeletedText) context.warn("Text deleted under change tracking was left out.");
  if (leftOut.annotations > 0) context.warn(`Comments were left out (${leftOut.annotations}).`);
  if (leftOut.objects > 0) {
    context.warn(`Embedded objects were left out (${leftOut.objects}); their pictures, if any, stand for them.`);
  }
}
