import type { DatasetFormat, DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import type { Example, ExampleKind } from "../example.ts";
import type { FindingCode } from "../finding-codes.ts";
import type { JsonObject } from "../json-value.ts";

/** Tells one finding of the row that is being read. */
export type Report = (code: FindingCode, pointer: string, detail?: string) => void;

/** Why an example cannot be written in a layout without changing what a trainer learns from it. */
export const refusalCodes = {
  WRONG_KIND: "The layout holds another kind of training data.",
  NOT_ALTERNATING: "Its turns do not alternate between user and assistant.",
  HAS_TOOLS: "It uses tools, which the layout cannot express.",
  HAS_WEIGHTS: "Some of its turns are not to be trained, which the layout cannot express.",
  SEVERAL_TRAINED_TURNS: "More than one of its turns is trained, which a prompt with one completion cannot express.",
  HAS_NAMES: "Its turns carry names, which the layout cannot express.",
  TEXT_BESIDE_TOOL_CALLS: "A turn has text beside its calls of tools.",
  SEVERAL_ANSWERS: "An answer has more than one turn.",
  SYSTEM_NOT_FIRST: "A system turn stands in the middle.",
  EMPTY_SYSTEM: "Its system turn is empty, which the layout cannot tell from none.",
  NO_FINAL_ANSWER: "It does not end with an answer.",
  SEPARATOR_IN_TEXT: "A tool's result holds the separator that LLaMA-Factory puts between results.",
  UNPAIRED: "No row with the same prompt and the other label was found for it.",
} as const;
export type RefusalCode = keyof typeof refusalCodes;

/** What is not written, though the rest of the example is. */
export const lossCodes = {
  TOOL_CALL_IDS: "The identifiers of tool calls are left out; calls and results are matched by their order.",
} as const;
export type LossCode = keyof typeof lossCodes;

export type Rendered =
  | { readonly value: JsonObject; readonly losses: readonly LossCode[] }
  | { readonly refusal: RefusalCode };

/** One shape in which training examples are written. */
export interface Layout {
  readonly name: DatasetLayout;
  readonly format: DatasetFormat;
  readonly kind: ExampleKind;
  /** The keys of a row that count; others are told as unused. */
  readonly keys: readonly string[];
  /** Whether a row has this shape, judged by its keys alone. */
  matches(row: JsonObject): boolean;
  /** Reads a row; reports at least one error where it returns undefined. */
  read(row: JsonObject, report: Report): Example | undefined;
  /** Writes an example so that `read` of the result gives the same example, apart from the named losses. */
  render(example: Example): Rendered;
}
