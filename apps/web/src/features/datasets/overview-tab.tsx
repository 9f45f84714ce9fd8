import { validateDatasetVersion } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Card, Flex, Skeleton, Statistic, Table, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { formatCount, formatSize } from "../../lib/format.ts";
import { BarPlot } from "./bar-plot.tsx";
import { useDatasetRights, useVersion, type VersionDetail } from "./dataset-queries.ts";
import { FindingsList } from "./findings-list.tsx";
import type { Report } from "./use-uploads.ts";

/** What is in the present version: counts, lengths, findings, files. */
export function OverviewTab({ dataset }: { readonly dataset: Dataset }) {
  const query = useVersion(dataset.id, dataset.version_no);
  if (query.error) return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton active paragraph={{ rows: 8 }} />;
  const { report, dataset_files: files } = query.data;
  return (
    <Flex vertical gap={24}>
      {report === null ? <NotValidated dataset={dataset} /> : <ReportView report={report} />}
      <Files files={files} />
    </Flex>
  );
}

function NotValidated({ dataset }: { readonly dataset: Dataset }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { mayEdit } = useDatasetRights(dataset);
  const mutation = useMutation({
    mutationFn: () => {
      const params = { dataset_id: dataset.id, version_no: dataset.version_no };
      return api.call(validateDatasetVersion, { params, body: {} });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["datasets"] }),
  });
  return (
    <>
      <Alert
        type="info"
        showIcon
        title={t("datasets.notValidated")}
        description={mayEdit && t("datasets.notValidatedHint")}
        action={
          mayEdit && (
            <Button type="primary" loading={mutation.isPending} onClick={() => mutation.mutate()}>
              {t("datasets.validate")}
            </Button>
          )
        }
      />
      <ProblemNotice error={mutation.error} />
    </>
  );
}

const shownCounts = ["raw", "valid", "invalid", "duplicates", "turns"] as const;

function ReportView({ report }: { readonly report: Report }) {
  const { t, i18n } = useTranslation();
  const { counts, statistics, findings } = report;
  const { character_range: range, lengths, turn_counts: turnCounts, labels } = statistics;
  const count = (value: number): string => formatCount(value, i18n.language);
  return (
    <>
      <Flex gap={16} wrap>
        {shownCounts.map((key) => (
          <Card key={key} size="small" style={{ flex: "1 1 130px" }}>
            <Statistic
              title={t(`datasets.counts.${key}`)}
              value={counts[key]}
              formatter={(value) => count(Number(value))}
            />
          </Card>
        ))}
      </Flex>
      {labels && (
        <Typography.Text>{t("datasets.labels", { yes: count(labels.true), no: count(labels.false) })}</Typography.Text>
      )}
      <Flex gap={16} wrap>
        <BarPlot
          title={t("datasets.lengths")}
          summary={t("datasets.lengthsSummary", {
            min: count(range.min),
            max: count(range.max),
            mean: count(Math.round(range.mean)),
          })}
          bars={lengths.map(({ from, to, count: height }) => ({ label: `${count(from)}–${count(to)}`, height }))}
        />
        <BarPlot
          title={t("datasets.turnCounts")}
          summary={t("datasets.turnsSummary", { turns: count(counts.turns), records: count(counts.valid) })}
          bars={turnCounts.map(({ turns, count: height }) => ({ label: count(turns), height }))}
        />
      </Flex>
      <section>
        <Typography.Title level={2} style={{ fontSize: 16 }}>
          {t("datasets.findings")}
        </Typography.Title>
        <FindingsList findings={findings} />
      </section>
    </>
  );
}

function Files({ files }: { readonly files: VersionDetail["dataset_files"] }) {
  const { t, i18n } = useTranslation();
  const count = (value: number): string => formatCount(value, i18n.language);
  return (
    <section>
      <Typography.Title level={2} style={{ fontSize: 16 }}>
        {t("datasets.files")}
      </Typography.Title>
      <Table<VersionDetail["dataset_files"][number] & { readonly no: number }>
        rowKey="no"
        size="small"
        pagination={false}
        scroll={{ x: "max-content" }}
        dataSource={files.map((file, no) => ({ ...file, no }))}
        columns={[
          { title: t("datasets.file"), dataIndex: "name" },
          { title: t("datasets.counts.raw"), dataIndex: "raw_count", align: "right", render: count },
          { title: t("datasets.counts.valid"), dataIndex: "record_count", align: "right", render: count },
          {
            title: t("datasets.size"),
            dataIndex: "size",
            align: "right",
            render: (size: number) => formatSize(size, i18n.language),
          },
        ]}
      />
    </section>
  );
}
