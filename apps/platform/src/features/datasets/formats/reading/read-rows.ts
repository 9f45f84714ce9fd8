import { createFinding, type Finding } from "../finding.ts";
import { detectNarrowEncoding, detectWideEncoding } from "./detect-encoding.ts";
import { type CsvHeader, parseCsvHeader, parseCsvRow } from "./csv-rows.ts";
import { chooseSplitter } from "./choose-splitter.ts";
import { parseJsonRow } from "./parse-json-row.ts";
import { datasetFileTypes } from "./source-row.ts";
import type { DatasetFileType, RawRecord, ReadItem, SourceRow, SplitFault, Splitter } from "./source-row.ts";
import { withPrefix } from "./with-prefix.ts";

/** The type that a file's name promises; undefined for names of other types. */
export function datasetFileTypeOf(fileName: string): DatasetFileType | undefined {
  const extension = fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
  if (extension === "ndjson") return "jsonl";
  return datasetFileTypes.find((type) => type === extension);
}

/**
 * Reads the rows of a dataset file from its bytes, in batches of the rows that end in one chunk. Memory: one chunk and one
 * row of at most 16 MiB, however large the file. Never throws for what the file holds: rows that cannot be read are yielded
 * with their findings, and a fault of the whole file ends the reading with a `fileFinding` of severity error.
 */
export async function* readRows(
  bytes: AsyncIterable<Uint8Array>,
  fileType: DatasetFileType,
): AsyncGenerator<readonly ReadItem[]> {
  const { prefix, rest } = await withPrefix(bytes);
  const wide = detectWideEncoding(prefix);
  if (wide) {
    yield [fileItem(wide)];
    return;
  }
  const hasMark = prefix[0] === 0xef && prefix[1] === 0xbb && prefix[2] === 0xbf;
  if (hasMark) yield [fileItem("BOM_REMOVED")];

  const choice = chooseSplitter(prefix.subarray(hasMark ? 3 : 0), fileType);
  yield choice.findings.map((fileFinding) => ({ fileFinding }));
  if (!choice.splitter) return;

  const reader = createReader(fileType, hasMark ? 3 : 0);
  yield* drain(reader, choice.splitter, rest);
  if (reader.isStopped()) return;
  yield reader.read(choice.splitter.end());
  if (reader.rowCount() === 0) yield [fileItem("FILE_EMPTY")];
  // A .json file that holds a single object is not a dataset of one row but, most likely, something else.
  if (reader.rowCount() === 1 && !choice.isSingleAllowed) yield [fileItem("SINGLE_OBJECT")];
}

async function* drain(
  reader: RowReader,
  splitter: Splitter,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<readonly ReadItem[]> {
  let skipped = 0;
  for await (const chunk of rest) {
    const start = Math.min(reader.markLength - skipped, chunk.length);
    skipped += start;
    const items = reader.read(splitter.push(chunk.subarray(start)));
    if (items.length > 0) yield items;
    if (reader.isStopped()) return;
  }
}

interface RowReader {
  readonly markLength: number;
  read(records: readonly (RawRecord | SplitFault)[]): ReadItem[];
  isStopped(): boolean;
  rowCount(): number;
}

function createReader(fileType: DatasetFileType, markLength: number): RowReader {
  let row = 0;
  let isStopped = false;
  let header: CsvHeader | undefined;

  const readHeader = (text: string, line: number): ReadItem[] => {
    header = parseCsvHeader(text, line);
    isStopped = header.findings.length > 0;
    return header.findings.map((fileFinding) => ({ fileFinding }));
  };
  const readRecord = (record: RawRecord): ReadItem[] => {
    const { line, byteOffset } = record;
    const encoding = detectNarrowEncoding(record.bytes);
    if (encoding) {
      isStopped = true;
      return [{ fileFinding: createFinding(encoding, { line, row: undefined }) }];
    }
    const text = record.bytes.toString("utf8");
    if (fileType === "csv" && !header) return readHeader(text, line);
    row++;
    const place = { line, row };
    const parsed = record.isTooLong
      ? { value: undefined, findings: [createFinding("ROW_TOO_LONG", place)] }
      : header
        ? parseCsvRow(text, header, place)
        : parseJsonRow(text, place);
    return [{ row, line, byteOffset: byteOffset + markLength, text, ...parsed } satisfies SourceRow];
  };

  return {
    markLength,
    read(records) {
      const items: ReadItem[] = [];
      for (const record of records) {
        if (isStopped) break;
        if ("code" in record) items.push({ fileFinding: splitFinding(record) });
        else items.push(...readRecord(record));
      }
      return items;
    },
    isStopped: () => isStopped,
    rowCount: () => row,
  };
}

function splitFinding({ code, ...place }: SplitFault): Finding {
  return createFinding(code, { ...place, row: undefined });
}

const fileItem = (code: Finding["code"]): ReadItem => ({
  fileFinding: createFinding(code, { line: 1, row: undefined }),
});
