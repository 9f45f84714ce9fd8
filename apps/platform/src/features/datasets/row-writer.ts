import { createId } from "@attune/service-kit/create-id.ts";
import { inArray } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { isFullChunk, packRows } from "./pack-rows.ts";
import { datasetChunks } from "./tables.ts";

/** Where a chunk stands in a version; rows count from 0. */
export interface Placement {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly fileNo: number;
  readonly chunkId: string;
}

export interface RowWriter {
  /** Takes one row; writes a chunk when enough rows wait. */
  add(text: string): Promise<void>;
  /** Takes a chunk that is there already, after the rows that came before it. */
  keep(chunk: Pick<Placement, "chunkId" | "rowCount">): Promise<void>;
  /** The rows that come are those of another file. */
  beginFile(fileNo: number): Promise<void>;
  /** Writes what waits, and tells where the chunks are. */
  finish(): Promise<readonly Placement[]>;
  /** Removes the chunks that were written, for a version that is not to be. */
  discard(): Promise<void>;
}

/**
 * Writes rows in chunks, in constant memory. Outside a transaction the chunks are there at once, but belong to no version; those
 * of an import that never ended are removed by `sweepChunks`.
 */
export function createRowWriter(queries: Queries, tenantId: string): RowWriter {
  const placements: Placement[] = [];
  const written: string[] = [];
  let waiting: string[] = [];
  let [characters, firstRow, fileNo] = [0, 0, 0];

  const place = (chunkId: string, rowCount: number): void => {
    placements.push({ firstRow, rowCount, fileNo, chunkId });
    firstRow += rowCount;
  };
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const [texts, id] = [waiting, createId()];
    [waiting, characters] = [[], 0];
    const row = { id, tenantId, rowCount: texts.length, rows: packRows(texts), createdAt: new Date() };
    await queries.insert(datasetChunks).values(row);
    written.push(id);
    place(id, texts.length);
  };

  return {
    async add(text) {
      waiting.push(text);
      characters += text.length;
      if (isFullChunk(waiting.length, characters)) await flush();
    },
    async keep({ chunkId, rowCount }) {
      await flush();
      place(chunkId, rowCount);
    },
    async beginFile(next) {
      await flush();
      fileNo = next;
    },
    async finish() {
      await flush();
      return placements;
    },
    async discard() {
      for (let at = 0; at < written.length; at += 1000) {
        await queries.delete(datasetChunks).where(inArray(datasetChunks.id, written.slice(at, at + 1000)));
      }
    },
  };
}
