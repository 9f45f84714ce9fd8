import type { DocumentLimits } from "./budget.ts";

const mib = 1 << 20;

/** The limits when the operator sets none; `config.ts` documents each. */
export const defaultLimits: DocumentLimits = {
  maxPages: 5000,
  maxArchiveEntries: 10_000,
  maxExpandedBytes: 512 * mib,
  maxEntryBytes: 256 * mib,
  maxArchiveDepth: 4,
  maxMarkupDepth: 256,
  maxTableCells: 5_000_000,
  maxBlocks: 2_000_000,
  maxImagePixels: 100_000_000,
  maxOutputBytes: 64 * mib,
  timeoutMs: 120_000,
};
