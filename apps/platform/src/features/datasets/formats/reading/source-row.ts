import type { Finding } from "../finding.ts";
import type { JsonObject } from "../json-value.ts";

/** The longest row that is read, in bytes. */
export const maxRowBytes = 16 * 1024 * 1024;
/** The deepest nesting of a row; the row itself is level 1. */
export const maxRowDepth = 32;

export const datasetFileTypes = ["json", "jsonl", "csv"] as const;
export type DatasetFileType = (typeof datasetFileTypes)[number];

/** The bytes of one row, as a splitter cut them out. */
export interface RawRecord {
  readonly bytes: Buffer;
  /** Line on which the record begins, from 1. */
  readonly line: number;
  /** Position of the record's first byte in the file. */
  readonly byteOffset: number;
  /** The record was longer than `maxRowBytes`; `bytes` is empty then. */
  readonly isTooLong: boolean;
}

/** Where a splitter found that the file itself is broken. */
export interface SplitFault {
  readonly code: "TRAILING_COMMA" | "MISSING_COMMA" | "TEXT_AFTER_ARRAY" | "ARRAY_NOT_CLOSED" | "ROW_NOT_CLOSED";
  readonly line: number;
  /** Column in bytes, from 1. */
  readonly column: number;
  readonly detail: string | undefined;
}

/**
 * Cuts bytes into records, whatever the chunks; keeps no more than one record in memory. The bytes of a record may be those
 * of the chunk; what stays until the next one is copied, so that the chunk can be freed.
 */
export interface Splitter {
  /** The records and faults that end in this chunk, in order. */
  push(chunk: Buffer): (RawRecord | SplitFault)[];
  /** What is left at the end of the file. */
  end(): (RawRecord | SplitFault)[];
}

/** One row of a file: where it stands, its text as it was written, and what was read from it. */
export interface SourceRow {
  /** Number of the row, from 1, counting rows that could not be read as well. */
  readonly row: number;
  readonly line: number;
  readonly byteOffset: number;
  /** The row as it stands in the file; of rows that are not UTF-8 or too long, "". */
  readonly text: string;
  /** Undefined for a row that could not be read; `findings` says why. */
  readonly value: JsonObject | undefined;
  readonly findings: readonly Finding[];
}

/** What reading a file yields: rows, and findings that belong to no row. */
export type ReadItem = SourceRow | { readonly fileFinding: Finding };
