import type { ParseOptions } from "../overrides/parse-options.ts";
import type { EngineDeps, EngineRequest, ParsedText } from "./engine.ts";

export type Reading = Pick<EngineDeps<unknown>, "readIsolated" | "timeoutMs">;

/** What an engine made of a file, in UTF-8, for our readers to read. */
export interface IntermediateText {
  readonly bytes: Uint8Array;
  readonly format: "md" | "html" | "xhtml";
}

/**
 * Reads the text that an engine made, in the time that is left. Encoding, password and pages are those of the file that the
 * engine was given: of its text all is read, as what it is.
 */
export function readIntermediate(
  { readIsolated, timeoutMs }: Reading,
  { text, request }: { readonly text: IntermediateText; readonly request: EngineRequest },
  signal: AbortSignal,
): Promise<ParsedText> {
  const { source, options, clock } = request;
  const ours = { ...textOptions(options), timeoutMs: clock.leftMs(timeoutMs(options)) };
  return readIsolated({ ...text, fileName: source.fileName, charset: "utf-8" }, ours, signal);
}

/** Options for a text that stands for the whole answer. */
export function textOptions(options: ParseOptions): ParseOptions {
  return { ...options, read: { ...convertedRead(options), pages: [] }, maxPages: undefined };
}

/** Options for a document that was converted into another: it has the pages of the first, but neither its lock nor its encoding. */
export function convertedOptions(options: ParseOptions): ParseOptions {
  return { ...options, read: { ...convertedRead(options), conversionFields: "drop" } };
}

function convertedRead({ read }: ParseOptions): ParseOptions["read"] {
  const { password: _password, encoding: _encoding, ...kept } = read;
  return kept;
}
