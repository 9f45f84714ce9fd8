import { type ConversionCounts, type ConversionOptions, type Converter, createConverter } from "../convert-examples.ts";
import type { JsonObject } from "../json-value.ts";
import type { ExampleSource } from "./export-file.ts";

interface JsonlWriter {
  readonly chunks: () => AsyncIterable<string>;
  counts(): ConversionCounts;
}

/** Writes examples as JSONL in one layout, in pieces of one batch each. */
export function writeJsonl(examples: ExampleSource, options: ConversionOptions): JsonlWriter {
  let converter = createConverter(options);
  return {
    chunks: () => {
      converter = createConverter(options);
      return renderBatches(examples, converter);
    },
    counts: () => converter.counts(),
  };
}

async function* renderBatches(examples: ExampleSource, converter: Converter): AsyncGenerator<string> {
  for await (const batch of examples()) {
    const text = batch
      .flatMap((example) => converter.convert(example))
      .map(toLine)
      .join("");
    if (text !== "") yield text;
  }
}

// U+2028 and U+2029 end a line for some readers of JSONL, Python's str.splitlines among them.
const toLine = (row: JsonObject): string =>
  `${JSON.stringify(row).replaceAll("\u{2028}", "\\u2028").replaceAll("\u{2029}", "\\u2029").replaceAll("\u{85}", "\\u0085")}\n`;
