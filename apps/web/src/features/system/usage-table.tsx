import { Empty, Table } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatCount, formatSize } from "../../lib/format.ts";

export interface UsageRow {
  readonly key: string;
  /** What the row is about, one for each title. */
  readonly names: readonly ReactNode[];
  readonly count: number;
  readonly size_bytes: number;
}

interface Props {
  readonly title: string;
  readonly titles: readonly string[];
  readonly rows: readonly UsageRow[];
  readonly isLoading: boolean;
}

/** Counts and sizes of what is stored, by something. */
export function UsageTable({ title, titles, rows, isLoading }: Props) {
  const { t, i18n } = useTranslation();
  return (
    <section aria-label={title} style={{ flex: "1 1 360px", minWidth: 0 }}>
      <h3 className="card-title">{title}</h3>
      <Table<UsageRow>
        rowKey="key"
        size="small"
        loading={isLoading}
        dataSource={[...rows]}
        pagination={false}
        scroll={{ x: "max-content" }}
        locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t("system.storage.empty")} /> }}
        columns={[
          ...titles.map((name, index) => ({
            title: name,
            key: name,
            render: (_: unknown, { names }: UsageRow) => names[index],
          })),
          {
            title: t("system.storage.count"),
            dataIndex: "count",
            align: "right",
            render: (count: number) => formatCount(count, i18n.language),
          },
          {
            title: t("system.storage.size"),
            dataIndex: "size_bytes",
            align: "right",
            render: (bytes: number) => formatSize(bytes, i18n.language),
          },
        ]}
      />
    </section>
  );
}
