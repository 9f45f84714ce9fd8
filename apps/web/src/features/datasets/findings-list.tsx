import type { FindingSeverity } from "@attune/contracts/rest/dataset-formats.ts";
import { Alert, Collapse, Flex, Tag, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../lib/format.ts";
import type { Report } from "./use-uploads.ts";

type FindingCount = Report["findings"][number];

const colours: Readonly<Record<FindingSeverity, string>> = { error: "error", warning: "warning", notice: "processing" };

/** What validation found: how often, what to do about it, and where it stands first. */
export function FindingsList({ findings }: { readonly findings: readonly FindingCount[] }) {
  const { t, i18n } = useTranslation();
  if (findings.length === 0) return <Alert type="success" showIcon title={t("datasets.noFindings")} />;
  return (
    <Collapse
      size="small"
      items={findings.map((finding) => ({
        key: finding.code,
        label: (
          <Flex gap={8} align="baseline" wrap>
            <Tag color={colours[finding.severity]} style={{ margin: 0 }}>
              {t(`datasets.severities.${finding.severity}`)}
            </Tag>
            <span style={{ flex: "1 1 240px" }}>{finding.message}</span>
            <Typography.Text type="secondary">
              {t("datasets.times", { times: formatCount(finding.count, i18n.language) })}
            </Typography.Text>
          </Flex>
        ),
        children: <FindingPlaces finding={finding} />,
      }))}
    />
  );
}

function FindingPlaces({ finding }: { readonly finding: FindingCount }) {
  const { t } = useTranslation();
  return (
    <>
      <p style={{ marginTop: 0 }}>
        {t("datasets.remedy")}: {finding.remedy} <Typography.Text type="secondary">{finding.code}</Typography.Text>
      </p>
      <div>{t("datasets.firstPlaces")}:</div>
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {finding.first.map(({ line, column, row, pointer, message }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the same finding can stand at one place twice
          <li key={index}>
            {t(column > 0 ? "datasets.lineColumn" : "datasets.line", { line, column })}
            {row !== null && ` · ${t("datasets.rowNo", { row })}`}
            {pointer !== "" && (
              <>
                {" · "}
                <code>{pointer}</code>
              </>
            )}
            {message !== finding.message && ` · ${message}`}
          </li>
        ))}
      </ul>
    </>
  );
}
