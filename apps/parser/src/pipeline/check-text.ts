import type { ParsedText } from "../engines/engine.ts";
import type { ParseSuccess } from "./parse-call.ts";

/** The last look at a parsed text before it is answered: an empty one is never silent. */
export function checkText(
  parsed: ParsedText,
  by: { readonly fileType: string; readonly parserEngine: string },
): ParseSuccess {
  const warnings = parsed.isEmpty ? ["The document holds no text.", ...parsed.warnings] : parsed.warnings;
  return {
    success: true,
    content: parsed.content,
    contentLength: parsed.contentLength,
    message: warnings.map(asSentence).join(" "),
    ...by,
  };
}

function asSentence(warning: string): string {
  return /[.!?]$/.test(warning) ? warning : `${warning}.`;
}
