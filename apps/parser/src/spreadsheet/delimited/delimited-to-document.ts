import type { Document, Inline, TableCell, TableRow } from "../../document/document.ts";
import type { Budget } from "../../limits/budget.ts";
import { decodeText } from "../../text/decode-text.ts";
import { countHeaderRows } from "../count-header-rows.ts";
import { guessDelimiter } from "./guess-delimiter.ts";
import { splitRecords } from "./split-records.ts";

interface DelimitedInput {
  readonly bytes: Uint8Array;
  readonly charset?: string;
}

interface DelimitedContext {
  readonly options: { readonly encoding?: string };
  readonly budget: Budget;
  readonly warn: (sentence: string) => void;
}

/** Reads delimited text in any encoding as one table. @throws AppError `LIMIT_EXCEEDED` for too many cells. */
export function delimitedToDocument(input: DelimitedInput, context: DelimitedContext): Document {
  const { text, delimiter } = splitHead(readText(input, context));
  const records: string[][] = [];
  const { unclosedQuotes } = splitRecords(text, delimiter, (fields) => {
    context.budget.takeTableCells(fields.length);
    records.push(fields);
    return true;
  });
  if (unclosedQuotes > 0) context.warn(`Fields that begin with a quote which is never closed: ${unclosedQuotes}.`);
  const rows = toRows(records, context);
  if (rows.length === 0) return { metadata: {}, blocks: [] };
  return { metadata: {}, blocks: [{ type: "table", rows, headerRowCount: countHeaderRows(rows) }] };
}

function readText(input: DelimitedInput, { options, warn }: DelimitedContext): string {
  const { text } = decodeText(input.bytes, {
    ...(options.encoding !== undefined && { encoding: options.encoding }),
    ...(input.charset !== undefined && { charset: input.charset }),
  });
  if (!text.includes("\0")) return text;
  warn("Null characters were removed.");
  return text.replaceAll("\0", "");
}

// Excel writes the delimiter on a line of its own: `sep=;`.
function splitHead(text: string): { readonly text: string; readonly delimiter: string } {
  const head = /^"?sep=([^\r\n])"?(?:\r\n|\n|\r)/i.exec(text);
  return head === null
    ? { text, delimiter: guessDelimiter(text) }
    : { text: text.slice(head[0].length), delimiter: head[1] as string };
}

function toRows(records: readonly string[][], { budget, warn }: DelimitedContext): TableRow[] {
  const filled = records.filter((record) => record.some((field) => field.trim() !== ""));
  const width = filled.reduce((widest, record) => Math.max(widest, filledWidth(record)), 0);
  const missing = filled.reduce((sum, record) => sum + Math.max(0, width - record.length), 0);
  budget.takeTableCells(missing);
  warnRagged(filled, width, warn);
  return filled.map((record) => {
    const row = record.slice(0, width).map(toCell);
    while (row.length < width) row.push("");
    return row;
  });
}

function filledWidth(record: readonly string[]): number {
  let width = record.length;
  while (width > 0 && (record[width - 1] as string).trim() === "") width--;
  return width;
}

function warnRagged(records: readonly string[][], width: number, warn: (sentence: string) => void): void {
  const first = records[0]?.length ?? 0;
  const longer = records.filter((record) => filledWidth(record) > first).length;
  const shorter = records.filter((record) => record.length < Math.min(first, width)).length;
  if (longer > 0) warn(`Rows with more fields than the first row: ${longer}.`);
  if (shorter > 0) warn(`Rows with fewer fields than the first row: ${shorter}.`);
}

function toCell(field: string): TableCell {
  const text = field.trim();
  if (!/[\r\n]/.test(text)) return text;
  const lines = text.split(/\r\n|\n|\r/);
  const inlines = lines.flatMap((line, at): Inline[] => (at === 0 ? [line] : [{ type: "lineBreak" }, line]));
  return { blocks: [{ type: "paragraph", inlines }] };
}
