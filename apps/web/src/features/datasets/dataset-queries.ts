import { getDataset, getDatasetVersion, listDatasets, listDeletedDatasets } from "@attune/contracts/rest/datasets.ts";
import type { Dataset, datasetVersionDetailSchema } from "@attune/contracts/rest/dataset-schemas.ts";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type * as z from "zod";
import { api } from "../../lib/api.ts";
import { useHasRole, useSession } from "../../lib/session.tsx";

export type VersionDetail = z.infer<typeof datasetVersionDetailSchema>;

/** Datasets, or those in the trash; the newest first. */
export function useDatasets(search: string, isDeleted: boolean) {
  const { tenant } = useSession();
  return useInfiniteQuery({
    queryKey: ["datasets", tenant?.id, isDeleted ? "trash" : "list", search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) =>
      isDeleted
        ? (await api.call(listDeletedDatasets, { query: { cursor }, signal })).body
        : (await api.call(listDatasets, { query: { cursor, search: search || undefined }, signal })).body,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useDataset(id: string) {
  const { tenant } = useSession();
  return useQuery({
    queryKey: ["datasets", tenant?.id, id],
    queryFn: async ({ signal }) => (await api.call(getDataset, { params: { dataset_id: id }, signal })).body,
  });
}

/** One version with its report; asks nothing while the dataset has none. */
export function useVersion(id: string, versionNo: number) {
  const { tenant } = useSession();
  return useQuery({
    queryKey: ["datasets", tenant?.id, id, "version", versionNo],
    enabled: versionNo > 0,
    queryFn: async ({ signal }) => {
      const params = { dataset_id: id, version_no: versionNo };
      return (await api.call(getDatasetVersion, { params, signal })).body;
    },
  });
}

export interface DatasetRights {
  readonly mayEdit: boolean;
  readonly mayManage: boolean;
  readonly mayCreate: boolean;
}

/** What is offered; what may be done is judged by the platform. */
export function useDatasetRights(dataset: Dataset): DatasetRights {
  const { session } = useSession();
  const isEditor = useHasRole("editor");
  const isAdmin = useHasRole("admin");
  const isOwner = dataset.owner_id === session?.user.id;
  return { mayEdit: isEditor, mayCreate: isEditor, mayManage: isAdmin || (isOwner && isEditor) };
}
