import { listDatasetRows } from "@attune/contracts/rest/datasets.ts";
import type { datasetRowSchema } from "@attune/contracts/rest/dataset-schemas.ts";
import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useEffect } from "react";
import type * as z from "zod";
import { api } from "../../lib/api.ts";
import { useSession } from "../../lib/session.tsx";

export type DatasetRow = z.infer<typeof datasetRowSchema>;

export interface RowSource {
  readonly datasetId: string;
  readonly versionNo: number;
}

export interface RowFilter {
  readonly search: string;
  readonly only: "all" | "valid" | "invalid";
}

const chunkRows = 100;
/** Matches that are looked for before one has to ask for more. */
const firstMatches = 50;

/** The rows of a version by index from 0; those from `first` to `last` are fetched. A version never changes. */
export function useRowsAt({ datasetId, versionNo }: RowSource, first: number, last: number) {
  const { tenant } = useSession();
  const from = Math.floor(first / chunkRows);
  const chunks = Array.from({ length: Math.floor(last / chunkRows) - from + 1 }, (_, index) => from + index);
  const queries = useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: ["rows", tenant?.id, datasetId, versionNo, chunk],
      staleTime: Infinity,
      gcTime: 60_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const params = { dataset_id: datasetId, version_no: versionNo };
        const query = { offset: chunk * chunkRows, limit: chunkRows };
        return (await api.call(listDatasetRows, { params, query, signal })).body;
      },
    })),
  });
  const rowAt = (index: number): DatasetRow | undefined =>
    queries[Math.floor(index / chunkRows) - from]?.data?.items[index % chunkRows];
  const failed = queries.find(({ error }) => error !== null);
  return { rowAt, error: failed?.error, refetch: () => failed?.refetch() };
}

/** The rows that match, as far as they were looked for. */
export function useMatchingRows(source: RowSource, filter: RowFilter) {
  const query = useMatchQuery(source, filter);
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const { hasNextPage, isFetching, fetchNextPage, isError } = query;
  const looksOn = rows.length < firstMatches && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (looksOn) void fetchNextPage();
  }, [looksOn, fetchNextPage]);
  const last = query.data?.pages.at(-1);
  const total = last?.total ?? 0;
  return { query, rows, lookedAt: last?.next_offset ?? total, total };
}

function useMatchQuery({ datasetId, versionNo }: RowSource, { search, only }: RowFilter) {
  const { tenant } = useSession();
  return useInfiniteQuery({
    queryKey: ["rows", tenant?.id, datasetId, versionNo, "matching", search, only],
    staleTime: Infinity,
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const params = { dataset_id: datasetId, version_no: versionNo };
      const filter = { search: search || undefined, only: only === "all" ? undefined : only };
      return (await api.call(listDatasetRows, { params, query: { ...filter, offset, limit: chunkRows }, signal })).body;
    },
    getNextPageParam: (page) => page.next_offset ?? undefined,
  });
}

/** One row as it is written; undefined where the version has none of that number. */
export async function readRow(source: RowSource, row: number): Promise<string | undefined> {
  const params = { dataset_id: source.datasetId, version_no: source.versionNo };
  const { items } = (await api.call(listDatasetRows, { params, query: { offset: row - 1, limit: 1 } })).body;
  return items[0]?.text;
}
