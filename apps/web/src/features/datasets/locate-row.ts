import type { rowChangeSchema } from "@attune/contracts/rest/dataset-schemas.ts";
import type * as z from "zod";

export type RowChange = z.infer<typeof rowChangeSchema>;

/**
 * Where a row of one version stands in the later one, by all changes between them; undefined where it was removed. A row that
 * no change names keeps its order among the others that none names.
 */
export function locateRow(changes: readonly RowChange[], row: number): number | undefined {
  const own = changes.find(({ from_row: from }) => from === row);
  if (own !== undefined) return own.row ?? undefined;
  const goneBefore = changes.filter(({ from_row: from }) => from !== null && from < row).length;
  // Among rows that no change names it is the one at this place, from 1.
  const place = row - goneBefore;
  let at = place;
  const taken = changes.flatMap(({ row: to }) => (to === null ? [] : [to])).sort((a, b) => a - b);
  for (const to of taken) if (to <= at) at++;
  return at;
}
