import { createFinding, type Finding, placesOfRow } from "../finding.ts";
import { isJsonArray, isJsonObject, isRawNumber, type JsonObject, type JsonValue, rawNumber } from "../json-value.ts";
import { type JsonScan, scanJson } from "./scan-json.ts";
import { maxRowDepth } from "./source-row.ts";
import { walkJson } from "./walk-json.ts";

interface ParsedRow {
  readonly value: JsonObject | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Parses one row. Numbers that a double cannot hold keep their digits (`rawNumber`); keys that stand twice and every
 * departure from JSON are told with line and column.
 */
export function parseJsonRow(text: string, place: { readonly line: number; readonly row: number }): ParsedRow {
  const scan = scanJson(text);
  if (scan.depth > maxRowDepth) return { value: undefined, findings: [createFinding("ROW_TOO_DEEP", place)] };
  let value: JsonValue;
  try {
    value = scan.hasLongNumber ? parseWithLongNumbers(text) : (JSON.parse(text) as JsonValue);
  } catch {
    return { value: undefined, findings: [explain(text, place)] };
  }
  if (!isJsonObject(value)) return { value: undefined, findings: [createFinding("ROW_NOT_OBJECT", place)] };
  return { value, findings: [...duplicateKeys(text, { value, scan }, place), ...longNumbers(value, scan, place)] };
}

function parseWithLongNumbers(text: string): JsonValue {
  return (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && !isExact(value, source) ? rawNumber(source) : value,
  );
}

// ECMAScript 2026: the reviver is given the source text of numbers, which the type library does not declare yet.
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: JsonValue, context: { readonly source?: string }) => JsonValue,
) => JsonValue;

/** Whether a double, written again, has the value that its source text names. */
function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  return digitsOf(String(value)) === digitsOf(source);
}

/** A decimal number as its sign, its significant digits and its exponent, so that 1.50 and 15e-1 are the same. */
function digitsOf(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const trimmed = digits.slice(0, lengthWithoutZeros(digits));
  if (trimmed === "") return "0";
  const sign = mantissa.startsWith("-") ? "-" : "";
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`;
}

/** A pattern would look at each run of zeros again from each of its places. */
function lengthWithoutZeros(digits: string): number {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  return end;
}

function explain(text: string, place: { readonly line: number; readonly row: number }): Finding {
  const { fault } = walkJson(text);
  const { code, index } = fault ?? { code: "JSON_SYNTAX" as const, index: 0 };
  const before = text.slice(0, index);
  const lastBreak = before.lastIndexOf("\n");
  const line = place.line + (lastBreak < 0 ? 0 : before.split("\n").length - 1);
  const detail = `Near ${JSON.stringify(text.slice(Math.max(0, index - 10), index + 20))}.`;
  return createFinding(code, { ...place, line, column: index - lastBreak, detail });
}

function duplicateKeys(
  text: string,
  { value, scan }: { value: JsonObject; scan: JsonScan },
  place: { readonly line: number; readonly row: number },
): Finding[] {
  if (countKeys(value) === scan.keyCount) return [];
  const { duplicates } = walkJson(text);
  const told = duplicates
    .slice(0, placesOfRow)
    .map(({ pointer, index }) =>
      createFinding("DUPLICATE_KEY", { ...place, pointer, column: index - text.lastIndexOf("\n", index) }),
    );
  const last = told.at(-1);
  return last === undefined ? told : [...told, ...duplicates.slice(placesOfRow).map(() => last)];
}

function countKeys(value: JsonValue): number {
  let count = 0;
  if (isJsonArray(value)) for (const item of value) count += typeof item === "object" ? countKeys(item) : 0;
  else if (isJsonObject(value)) {
    for (const key in value) {
      const item = value[key];
      count += 1 + (typeof item === "object" ? countKeys(item) : 0);
    }
  }
  return count;
}

function longNumbers(
  value: JsonObject,
  scan: JsonScan,
  place: { readonly line: number; readonly row: number },
): Finding[] {
  return scan.hasLongNumber && hasRawNumber(value) ? [createFinding("NUMBER_PRECISION", place)] : [];
}

function hasRawNumber(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isRawNumber(value) || Object.values(value).some(hasRawNumber);
}
