import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { convertKind, type TextStyle } from "./convert-kind.ts";
import type { Example } from "./example.ts";
import type { JsonObject } from "./json-value.ts";
import type { LossCode, RefusalCode, Rendered } from "./layouts/layout.ts";
import { layouts } from "./layouts/layouts.ts";
import { pairPreferences } from "./pair-preferences.ts";

export interface ConversionOptions {
  readonly layout: DatasetLayout;
  /** For conversations that become plain text. */
  readonly textStyle?: TextStyle;
}

/** What became of the examples. `read` = examples that were written + those refused, counted as they were read. */
export interface ConversionCounts {
  read: number;
  written: number;
  readonly refused: Partial<Record<RefusalCode, number>>;
  readonly losses: Partial<Record<LossCode, number>>;
}

export interface Converter {
  /** The rows that an example becomes: none where it is refused, or where it waits for its counterpart. */
  convert(example: Example): readonly JsonObject[];
  /** Counts; complete after the last `convert`. */
  counts(): ConversionCounts;
}

/** Writes examples in another layout. Nothing is dropped silently: what cannot be written is counted by its reason. */
export function createConverter({ layout, textStyle }: ConversionOptions): Converter {
  const target = layouts[layout];
  const counts: ConversionCounts = { read: 0, written: 0, refused: {}, losses: {} };
  const pairing = pairPreferences();

  const take = (rendered: Rendered): JsonObject[] => {
    if ("refusal" in rendered) {
      counts.refused[rendered.refusal] = (counts.refused[rendered.refusal] ?? 0) + 1;
      return [];
    }
    for (const loss of rendered.losses) counts.losses[loss] = (counts.losses[loss] ?? 0) + 1;
    counts.written++;
    return [rendered.value];
  };

  return {
    convert(example) {
      counts.read++;
      if (example.kind === "kto" && target.kind === "dpo") {
        const pair = pairing.add(example);
        return pair ? take(target.render(pair)) : [];
      }
      const converted = convertKind(example, target.kind, textStyle);
      if ("refusal" in converted) return take(converted);
      return converted.examples.flatMap((made) => take(target.render(made)));
    },
    counts() {
      const unpaired = pairing.unpairedCount();
      const refused = unpaired > 0 ? { ...counts.refused, UNPAIRED: unpaired } : counts.refused;
      return { ...counts, refused };
    },
  };
}
