import type { Queries } from "../../infra/db/create-database.ts";
import { rowHash, textHash } from "./formats/content-hash.ts";
import { diffRows, type RowChange, type RowDiff } from "./formats/diff-rows.ts";
import { parseJsonRow } from "./formats/reading/parse-json-row.ts";
import type { Placement } from "./row-writer.ts";
import { readChunk, selectPlacements } from "./version-repo.ts";

export interface VersionDiff {
  readonly counts: Omit<RowDiff, "changes">;
  /** The changes of the page that was asked for. */
  readonly changes: readonly RowChange[];
  readonly total: number;
}

interface DiffRequest {
  readonly fromVersionId: string;
  readonly toVersionId: string;
  readonly offset: number;
  readonly limit: number;
}

/** Compares two versions. Chunks that both begin or end with are not read: after an edit, only what it touched is. */
export async function diffVersions(queries: Queries, request: DiffRequest): Promise<VersionDiff> {
  const { offset, limit } = request;
  const before = await selectPlacements(queries, request.fromVersionId);
  const after = await selectPlacements(queries, request.toVersionId);
  const head = commonHead(before, after);
  const tail = commonHead(before.slice(head).toReversed(), after.slice(head).toReversed());
  const skipped = rowsOf(before.slice(0, head));
  const shared = skipped + rowsOf(before.slice(before.length - tail));
  const hashes = (places: readonly Placement[]): Promise<string[]> =>
    hashRows(queries, places.slice(head, places.length - tail));
  const diff = diffRows(await hashes(before), await hashes(after));
  const { unchanged, added, removed, changed, moved } = diff;
  const changes = diff.changes().drop(offset).take(limit);
  return {
    counts: { unchanged: unchanged + shared, added, removed, changed, moved },
    changes: [...changes].map((change) => shift(change, skipped)),
    total: added + removed + changed + moved,
  };
}

function commonHead(before: readonly Placement[], after: readonly Placement[]): number {
  const end = before.findIndex(({ chunkId }, index) => after[index]?.chunkId !== chunkId);
  return end < 0 ? before.length : end;
}

const rowsOf = (places: readonly Placement[]): number => places.reduce((sum, { rowCount }) => sum + rowCount, 0);

async function hashRows(queries: Queries, places: readonly Placement[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const { chunkId } of places) {
    for (const text of await readChunk(queries, chunkId)) {
      const { value } = parseJsonRow(text, { line: 1, row: 1 });
      hashes.push((value === undefined ? textHash(text) : rowHash(value)).toString("latin1", 0, 16));
    }
  }
  return hashes;
}

function shift(change: RowChange, by: number): RowChange {
  const row = change.row + by;
  return "fromRow" in change ? { ...change, row, fromRow: change.fromRow + by } : { ...change, row };
}
