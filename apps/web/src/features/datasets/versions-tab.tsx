import { listDatasetVersions, restoreDatasetVersion } from "@attune/contracts/rest/datasets.ts";
import type { Dataset, datasetVersionSchema } from "@attune/contracts/rest/dataset-schemas.ts";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Button, Flex, Popconfirm, Space, Table, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type * as z from "zod";
import { MoreButton } from "../../components/more-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { formatCount, formatSize, formatTime } from "../../lib/format.ts";
import { useSession } from "../../lib/session.tsx";
import { useNameOf } from "../../lib/use-people.ts";
import { useDatasetRights } from "./dataset-queries.ts";
import { type ComparedVersions, VersionDiff } from "./version-diff.tsx";

type Version = z.infer<typeof datasetVersionSchema>;

/** All versions: what made each one, what differs between two, and the way back. */
export function VersionsTab({ dataset }: { readonly dataset: Dataset }) {
  const { t, i18n } = useTranslation();
  const { tenant } = useSession();
  const nameOf = useNameOf();
  const { mayEdit } = useDatasetRights(dataset);
  const { id, version_no: presentNo } = dataset;
  const [compared, setCompared] = useState<ComparedVersions | undefined>(
    presentNo > 1 ? { from: presentNo - 1, to: presentNo } : undefined,
  );
  const query = useInfiniteQuery({
    queryKey: ["datasets", tenant?.id, id, "versions"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) =>
      (await api.call(listDatasetVersions, { params: { dataset_id: id }, query: { cursor }, signal })).body,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const count = (value: number): string => formatCount(value, i18n.language);
  return (
    <Flex vertical gap={16}>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <Table<Version>
        rowKey="version_no"
        size="small"
        loading={query.isLoading}
        pagination={false}
        scroll={{ x: "max-content" }}
        dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
        columns={[
          {
            title: t("datasets.version"),
            dataIndex: "version_no",
            render: (no: number) => (
              <>
                {no} {no === presentNo && <Tag>{t("datasets.present")}</Tag>}
              </>
            ),
          },
          {
            title: t("datasets.origin"),
            dataIndex: "origin",
            render: (origin: string) => t(`datasets.origins.${origin}`),
          },
          { title: t("datasets.counts.raw"), dataIndex: "raw_count", align: "right", render: count },
          { title: t("datasets.counts.valid"), dataIndex: "record_count", align: "right", render: count },
          {
            title: t("datasets.size"),
            dataIndex: "size",
            align: "right",
            render: (size: number) => formatSize(size, i18n.language),
          },
          { title: t("datasets.by"), dataIndex: "created_by", render: nameOf },
          {
            title: t("common.created"),
            dataIndex: "created_at",
            render: (at: string) => formatTime(at, i18n.language),
          },
          {
            title: t("common.actions"),
            key: "actions",
            render: (_, version) => (
              <Space size={4}>
                {version.version_no > 1 && (
                  <Button
                    size="small"
                    type="link"
                    onClick={() => setCompared({ from: version.version_no - 1, to: version.version_no })}
                  >
                    {t("datasets.compareWith")}
                  </Button>
                )}
                {mayEdit && version.version_no !== presentNo && (
                  <RestoreVersion dataset={dataset} versionNo={version.version_no} />
                )}
              </Space>
            ),
          },
        ]}
      />
      <MoreButton query={query} />
      {presentNo > 1 && <VersionDiff dataset={dataset} compared={compared} onChange={setCompared} />}
    </Flex>
  );
}

function RestoreVersion({ dataset, versionNo }: { readonly dataset: Dataset; readonly versionNo: number }) {
  const { t } = useTranslation();
  const { modal, message } = App.useApp();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: async () => {
      const params = { dataset_id: dataset.id, version_no: versionNo };
      return (await api.call(restoreDatasetVersion, { params, ifMatch: `"${dataset.version_no}"` })).body;
    },
    onSuccess: ({ version_no: version }) => void message.success(t("datasets.savedVersion", { version })),
    onError: (error) =>
      void modal.warning({ title: dataset.name, content: <ProblemNotice error={error} />, width: 560 }),
    onSettled: () => client.invalidateQueries({ queryKey: ["datasets"] }),
  });
  return (
    <Popconfirm
      title={t("datasets.restoreVersionConfirm", { version: versionNo })}
      onConfirm={() => mutation.mutate()}
      styles={{ root: { maxWidth: 360 } }}
    >
      <Button size="small" type="link" loading={mutation.isPending}>
        {t("datasets.restoreVersion")}
      </Button>
    </Popconfirm>
  );
}
