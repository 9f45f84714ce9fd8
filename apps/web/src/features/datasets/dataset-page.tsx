import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Button, Empty, Skeleton, Tabs, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatCount, formatSize } from "../../lib/format.ts";
import { DatasetActions } from "./dataset-actions.tsx";
import { useDataset, useDatasetRights } from "./dataset-queries.ts";
import { OverviewTab } from "./overview-tab.tsx";
import { RowsTab } from "./rows-tab.tsx";
import { UploadDialog } from "./upload-dialog.tsx";
import { VersionsTab } from "./versions-tab.tsx";

/** One dataset: what is in it, its rows, its versions. */
export function DatasetPage() {
  const { datasetId = "", tab } = useParams({ strict: false }) as { datasetId?: string; tab?: string };
  const query = useDataset(datasetId);
  if (query.data) return <Loaded key={datasetId} dataset={query.data} tab={tab ?? "overview"} />;
  if (query.error) return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton active />;
}

function Loaded({ dataset, tab }: { readonly dataset: Dataset; readonly tab: string }) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const [isUploading, setIsUploading] = useState(false);
  const { mayEdit } = useDatasetRights(dataset);
  const { id, name, description, format, size, record_count: count, version_no: versionNo } = dataset;
  return (
    <>
      <PageTitle
        title={
          <>
            {name} {dataset.is_private && <Tag>{t("datasets.private")}</Tag>}
          </>
        }
        hint={
          <>
            {description !== "" && <div>{description}</div>}
            {[
              format === null ? t("datasets.noFormat") : t(`datasets.formats.${format}`),
              `${t("datasets.records")}: ${formatCount(count, i18n.language)}`,
              formatSize(size, i18n.language),
              `${t("datasets.version")}: ${versionNo === 0 ? t("datasets.noVersion") : versionNo}`,
            ].join(" · ")}
          </>
        }
      >
        <DatasetActions dataset={dataset} onUpload={() => setIsUploading(true)} />
      </PageTitle>
      {versionNo === 0 ? (
        <Empty
          description={
            <>
              <div>{t("datasets.emptyDataset")}</div>
              {mayEdit && <div>{t("datasets.emptyDatasetNext")}</div>}
            </>
          }
        >
          {mayEdit && (
            <Button type="primary" onClick={() => setIsUploading(true)}>
              {t("datasets.upload")}
            </Button>
          )}
        </Empty>
      ) : (
        <Tabs
          activeKey={tab}
          onChange={(key) => void navigate({ to: `/datasets/${id}/${key}`, replace: true })}
          items={[
            { key: "overview", label: t("datasets.tabs.overview"), children: <OverviewTab dataset={dataset} /> },
            { key: "rows", label: t("datasets.tabs.rows"), children: <RowsTab dataset={dataset} /> },
            { key: "versions", label: t("datasets.tabs.versions"), children: <VersionsTab dataset={dataset} /> },
          ]}
        />
      )}
      {isUploading && <UploadDialog dataset={dataset} onClose={() => setIsUploading(false)} />}
    </>
  );
}
