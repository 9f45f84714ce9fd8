import { editDatasetRows } from "@attune/contracts/rest/datasets.ts";
import type { Dataset, rowEditSchema } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useTranslation } from "react-i18next";
import type * as z from "zod";
import { api } from "../../lib/api.ts";

export type RowEdit = z.infer<typeof rowEditSchema>;

interface RowSave {
  /** The version that the edits were made on; another one being present is a conflict. */
  readonly versionNo: number;
  readonly edits: readonly RowEdit[];
}

/** Saves edits of rows as a new version. */
export function useSaveRows({ id }: Dataset, onSaved: () => void) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ versionNo, edits }: RowSave) => {
      const params = { dataset_id: id };
      return (await api.call(editDatasetRows, { params, body: { edits: [...edits] }, ifMatch: `"${versionNo}"` })).body;
    },
    onSuccess: async ({ version_no: version }) => {
      void message.success(t("datasets.savedVersion", { version }));
      onSaved();
      await client.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
}
