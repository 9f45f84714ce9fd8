import bunzip from "seek-bzip";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ReadDocument } from "../reader.ts";
import { ByteSink } from "./byte-sink.ts";
import { damaged, readExpanded } from "./read-expanded.ts";

/** The file that a bzip2 file holds, of one stream or many. */
export const readBzip2: ReadDocument = (input, context) => {
  const sink = new ByteSink(context.budget.entryAllowanceBytes);
  try {
    bunzip.decode(Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength), sink, true);
  } catch (error) {
    throw error instanceof AppError ? error : damaged("bzip2", error);
  }
  return readExpanded(sink.take(), input.fileName, context);
};
