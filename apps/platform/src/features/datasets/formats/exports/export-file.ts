import type { ConversionCounts } from "../convert-examples.ts";
import type { Example } from "../example.ts";

/** Examples in batches, read anew on every call: an export goes over them once for each of its files. */
export type ExampleSource = () => AsyncIterable<readonly Example[]>;

/** One file of an export. */
export interface ExportFile {
  /** Path inside the archive, with slashes. */
  readonly path: string;
  /** The file's text in pieces, made while it is read. */
  readonly chunks: () => AsyncIterable<string>;
}

export interface DatasetExport {
  readonly files: readonly ExportFile[];
  /** What became of the examples, by the path of their file; complete once that file has been read to its end. */
  counts(): Readonly<Record<string, ConversionCounts>>;
}

/** The examples of one file, such as "train" or "validation". */
export interface ExportSplit {
  readonly name: string;
  readonly examples: ExampleSource;
}
