import * as formatModules from "../../formats.ts";
import type { Format } from "../../readers/format.ts";
import { defineEngine, type Source, type StoredBytes } from "../engine.ts";

const readable = Object.values(formatModules)
  .filter((format: Format) => format.load !== undefined)
  .map(({ name }) => name)
  .sort();

/** Our own readers, in isolated worker processes; needs nothing installed. */
export const builtin = defineEngine({
  name: "builtin",
  description: "Attune's own readers, without models; every document in a process of its own",
  formats: readable,
  rank: 0,
  settings: {},
  overrides: {},
  honours: {
    pages: true,
    max_pages: true,
    password: true,
    ocr: true,
    ocr_languages: true,
    headers_footers: true,
    quoted_text: true,
    boilerplate: true,
    encoding: true,
    archive_depth: true,
  },
  create: ({ readIsolated, timeoutMs, findReaderFault }) => ({
    probe: async () => {
      const fault = findReaderFault?.();
      return fault === undefined ? { isAvailable: true } : { isAvailable: false, reason: `No worker starts: ${fault}` };
    },
    parse: async ({ source, options, clock }, signal) => {
      const { fileName, format, charset } = source;
      const bytes = toStored(source) ?? (await source.readBytes());
      const input = { bytes, fileName, format, ...(charset !== undefined && { charset }) };
      return readIsolated(input, { ...options, timeoutMs: clock.leftMs(timeoutMs(options)) }, signal);
    },
  }),
});

function toStored(source: Source): StoredBytes | undefined {
  const { sizeBytes, readChunks, openForAccess } = source;
  return readChunks && { sizeBytes, readChunks, ...(openForAccess !== undefined && { openForAccess }) };
}
