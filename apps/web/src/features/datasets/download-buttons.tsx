import { type DatasetExportLayout, datasetExportLayouts } from "@attune/contracts/rest/dataset-formats.ts";
import { downloadDataset, exportDataset } from "@attune/contracts/rest/dataset-downloads.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation } from "@tanstack/react-query";
import { App, Button, Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { saveResponse } from "../../lib/save-response.ts";

/** The present version as it was uploaded, or as a training program reads it. */
export function DownloadButtons({ dataset }: { readonly dataset: Dataset }) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const params = { dataset_id: dataset.id };
  const mutation = useMutation({
    mutationFn: async (layout: DatasetExportLayout | undefined) => {
      const query = { version_no: dataset.version_no };
      const response =
        layout === undefined
          ? await api.open(downloadDataset, { params, query })
          : await api.open(exportDataset, { params, query: { ...query, layout } });
      await saveResponse(response, dataset.name);
    },
    onError: (error) =>
      void modal.warning({ title: dataset.name, content: <ProblemNotice error={error} />, width: 560 }),
  });
  return (
    <>
      <Button loading={mutation.isPending} onClick={() => mutation.mutate(undefined)}>
        {t("datasets.download")}
      </Button>
      <Dropdown
        trigger={["click"]}
        menu={{
          items: datasetExportLayouts.map((key) => ({
            key,
            label: t(`datasets.exports.${key}`),
            onClick: () => mutation.mutate(key),
          })),
        }}
      >
        <Button disabled={mutation.isPending}>{t("datasets.export")}</Button>
      </Dropdown>
    </>
  );
}
