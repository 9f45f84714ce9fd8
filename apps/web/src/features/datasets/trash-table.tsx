import { undeleteDataset } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button, Empty, Input, Modal, Table } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { MoreButton } from "../../components/more-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api, isProblem } from "../../lib/api.ts";
import { formatCount, formatTime } from "../../lib/format.ts";
import { useNameOf } from "../../lib/use-people.ts";
import { useDatasetRights, useDatasets } from "./dataset-queries.ts";

/** Datasets that were deleted, to be taken out again. */
export function TrashTable() {
  const { t, i18n } = useTranslation();
  const query = useDatasets("", true);
  const nameOf = useNameOf();
  return (
    <>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <Table<Dataset>
        rowKey="id"
        size="small"
        loading={query.isLoading}
        dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
        pagination={false}
        scroll={{ x: "max-content" }}
        locale={{ emptyText: <Empty description={t("datasets.emptyTrash")} /> }}
        columns={[
          { title: t("common.name"), dataIndex: "name" },
          {
            title: t("datasets.records"),
            dataIndex: "record_count",
            align: "right",
            render: (count: number) => formatCount(count, i18n.language),
          },
          { title: t("datasets.owner"), dataIndex: "owner_id", render: nameOf },
          {
            title: t("datasets.deleted"),
            dataIndex: "deleted_at",
            render: (at: string | null) => at !== null && formatTime(at, i18n.language),
          },
          { title: t("common.actions"), key: "actions", render: (_, dataset) => <RestoreButton dataset={dataset} /> },
        ]}
      />
      <MoreButton query={query} />
    </>
  );
}

function RestoreButton({ dataset }: { readonly dataset: Dataset }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [name, setName] = useState(dataset.name);
  const { mayManage } = useDatasetRights(dataset);
  const mutation = useMutation({
    mutationFn: () => {
      const body = name === dataset.name ? {} : { name };
      return api.call(undeleteDataset, { params: { dataset_id: dataset.id }, body });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["datasets"] }),
  });
  const isTaken = isProblem(mutation.error, "DATASET_NAME_TAKEN");
  if (!mayManage) return null;
  return (
    <>
      <Button size="small" type="link" loading={mutation.isPending} onClick={() => mutation.mutate()}>
        {t("datasets.restore")}
      </Button>
      <Modal
        open={mutation.isError}
        title={t("datasets.restoreTitle", { name: dataset.name })}
        okText={t("datasets.restore")}
        cancelText={t("common.cancel")}
        onOk={() => mutation.mutate()}
        onCancel={() => mutation.reset()}
      >
        {isTaken && <p>{t("datasets.restoreTaken")}</p>}
        {isTaken && (
          <Input
            aria-label={t("common.name")}
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
        {!isTaken && <ProblemNotice error={mutation.error} />}
      </Modal>
    </>
  );
}
