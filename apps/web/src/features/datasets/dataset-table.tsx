import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { Link } from "@tanstack/react-router";
import { Button, Empty, Table, Tag, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { MoreButton } from "../../components/more-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatCount, formatSize, formatTime } from "../../lib/format.ts";
import { useNameOf } from "../../lib/use-people.ts";
import { useDatasets } from "./dataset-queries.ts";

interface Props {
  readonly search: string;
  /** Absent for those who may not make one. */
  readonly onAdd: (() => void) | undefined;
}

export function DatasetTable({ search, onAdd }: Props) {
  const { t, i18n } = useTranslation();
  const query = useDatasets(search, false);
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
        locale={{ emptyText: query.isLoading ? " " : <NoDatasets isSearch={search !== ""} onAdd={onAdd} /> }}
        columns={[
          { title: t("common.name"), key: "name", render: (_, dataset) => <NameCell dataset={dataset} /> },
          {
            title: t("datasets.format"),
            dataIndex: "format",
            render: (format: Dataset["format"]) =>
              format === null ? (
                <Typography.Text type="secondary">{t("datasets.noFormat")}</Typography.Text>
              ) : (
                t(`datasets.formats.${format}`)
              ),
          },
          {
            title: t("datasets.records"),
            dataIndex: "record_count",
            align: "right",
            render: (count: number) => formatCount(count, i18n.language),
          },
          {
            title: t("datasets.size"),
            dataIndex: "size",
            align: "right",
            render: (size: number) => formatSize(size, i18n.language),
          },
          {
            title: t("datasets.version"),
            dataIndex: "version_no",
            align: "right",
            render: (no: number) => (no === 0 ? t("datasets.noVersion") : no),
          },
          { title: t("datasets.owner"), dataIndex: "owner_id", render: nameOf },
          {
            title: t("datasets.updated"),
            dataIndex: "updated_at",
            render: (at: string) => formatTime(at, i18n.language),
          },
        ]}
      />
      <MoreButton query={query} />
    </>
  );
}

function NameCell({ dataset }: { readonly dataset: Dataset }) {
  const { t } = useTranslation();
  const { id, name, description, is_private: isPrivate } = dataset;
  return (
    <div style={{ maxWidth: 360 }}>
      <Link to={`/datasets/${id}`} style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>
        {name}
      </Link>{" "}
      {isPrivate && <Tag>{t("datasets.private")}</Tag>}
      {description !== "" && (
        <Typography.Paragraph type="secondary" ellipsis={{ rows: 1, tooltip: description }} style={{ margin: 0 }}>
          {description}
        </Typography.Paragraph>
      )}
    </div>
  );
}

function NoDatasets({ isSearch, onAdd }: { readonly isSearch: boolean; readonly onAdd: (() => void) | undefined }) {
  const { t } = useTranslation();
  if (isSearch) return <Empty description={t("datasets.emptySearch")} />;
  return (
    <Empty
      description={
        <>
          <div>{t("datasets.empty")}</div>
          <div>{t(onAdd ? "datasets.emptyNext" : "datasets.emptyViewer")}</div>
        </>
      }
    >
      {onAdd && (
        <Button type="primary" onClick={onAdd}>
          {t("datasets.add")}
        </Button>
      )}
    </Empty>
  );
}
