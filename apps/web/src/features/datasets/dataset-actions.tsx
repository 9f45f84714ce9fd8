import { MoreOutlined } from "@ant-design/icons";
import { deleteDataset } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { App, Button, Dropdown } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { ShareDialog } from "../../components/share-dialog.tsx";
import { api } from "../../lib/api.ts";
import { ConvertDialog } from "./convert-dialog.tsx";
import { useDatasetRights } from "./dataset-queries.ts";
import { DownloadButtons } from "./download-buttons.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { SplitDialog } from "./split-dialog.tsx";

interface Props {
  readonly dataset: Dataset;
  readonly onUpload: () => void;
}

/** What can be done with a dataset as a whole. */
export function DatasetActions({ dataset, onUpload }: Props) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const [opened, setOpened] = useState<"edit" | "share" | "convert" | "split">();
  const { mayEdit, mayCreate, mayManage } = useDatasetRights(dataset);
  const remove = useRemoval(dataset);
  const isUsable = mayCreate && dataset.version_no > 0;
  const close = () => setOpened(undefined);
  const { id, name } = dataset;
  const askRemoval = () =>
    void modal.confirm({
      title: t("datasets.deleteConfirm", { name }),
      okText: t("common.delete"),
      okButtonProps: { danger: true },
      cancelText: t("common.cancel"),
      onOk: () => remove.mutateAsync().catch(() => undefined),
    });
  const items = [
    { key: "edit", isOffered: mayEdit, label: t("datasets.edit"), onClick: () => setOpened("edit") },
    { key: "convert", isOffered: isUsable, label: t("datasets.convert"), onClick: () => setOpened("convert") },
    { key: "split", isOffered: isUsable, label: t("datasets.split"), onClick: () => setOpened("split") },
    { key: "delete", isOffered: mayManage, danger: true, label: t("common.delete"), onClick: askRemoval },
  ].flatMap(({ isOffered, ...item }) => (isOffered ? [item] : []));
  return (
    <>
      {dataset.version_no > 0 && <DownloadButtons dataset={dataset} />}
      {mayEdit && <Button onClick={onUpload}>{t("datasets.upload")}</Button>}
      {mayManage && <Button onClick={() => setOpened("share")}>{t("datasets.share")}</Button>}
      {items.length > 0 && (
        <Dropdown trigger={["click"]} menu={{ items }}>
          <Button icon={<MoreOutlined />} aria-label={t("datasets.moreActions")} />
        </Dropdown>
      )}
      <ProblemNotice error={remove.error} />
      <ShareDialog kind="dataset" id={id} name={name} isOpen={opened === "share"} onClose={close} />
      {opened === "edit" && <EditDialog dataset={dataset} onClose={close} />}
      {opened === "convert" && <ConvertDialog dataset={dataset} onClose={close} />}
      {opened === "split" && <SplitDialog dataset={dataset} onClose={close} />}
    </>
  );
}

function useRemoval({ id }: Dataset) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => api.call(deleteDataset, { params: { dataset_id: id } }),
    onSuccess: async () => {
      await navigate({ to: "/datasets" });
      await client.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
}
