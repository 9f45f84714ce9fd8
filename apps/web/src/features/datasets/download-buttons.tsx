import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import { downloadDataset, exportDataset } from "@attune/contracts/rest/dataset-downloads.ts";
import { type DatasetExportLayout, datasetExportLayouts } from "@attune/contracts/rest/dataset-formats.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation } from "@tanstack/react-query";
import { App, Button, Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { saveResponse } from "../../lib/save-response.ts";

interface Export {
  readonly layout: DatasetExportLayout;
  /** What becomes of rows that the layout cannot hold. */
  readonly unwritable: "refuse" | "skip";
}

/** The present version as it was uploaded, or as a training program reads it. */
export function DownloadButtons({ dataset }: { readonly dataset: Dataset }) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const mutation = useMutation({
    mutationFn: async (wanted: Export | undefined) => saveResponse(await open(dataset, wanted), dataset.name),
    onError: (error, wanted) => {
      const notice = { title: dataset.name, content: <ProblemNotice error={error} />, width: 560 };
      if (!isIncomplete(error) || wanted === undefined) {
        modal.warning(notice);
        return;
      }
      modal.confirm({
        ...notice,
        okText: t("datasets.exportValidRows"),
        onOk: () => mutation.mutate({ ...wanted, unwritable: "skip" }),
      });
    },
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
            onClick: () => mutation.mutate({ layout: key, unwritable: "refuse" }),
          })),
        }}
      >
        <Button disabled={mutation.isPending}>{t("datasets.export")}</Button>
      </Dropdown>
    </>
  );
}

function open(dataset: Dataset, wanted: Export | undefined): Promise<Response> {
  const params = { dataset_id: dataset.id };
  const query = { version_no: dataset.version_no };
  if (wanted === undefined) return api.open(downloadDataset, { params, query });
  return api.open(exportDataset, { params, query: { ...query, ...wanted } });
}

const isIncomplete = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.reason === "DATASET_EXPORT_INCOMPLETE";
