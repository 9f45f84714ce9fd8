import type { HealthPartReport, SystemHealth, SystemStatus } from "@attune/contracts/rest/system.ts";
import { Alert, Card, Flex, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { CodeText } from "../../components/code-text.tsx";
import { HealthState } from "./health-state.tsx";
import { PartFacts } from "./part-facts.tsx";

type Part = SystemHealth["parts"][number] | SystemStatus["parts"][number];
type Finding = Part["findings"][number];

interface Props {
  readonly part: Part;
  /** What was found out, for the operator. */
  readonly report?: HealthPartReport;
}

/** One part: how it is, what is wrong and what to do, and what was found out. */
export function HealthCard({ part, report }: Props) {
  const { t } = useTranslation();
  const { part: name, state, findings } = part;
  return (
    <Card
      className="health-card"
      size="small"
      title={<h2 className="card-title">{t(`system.parts.${name}`)}</h2>}
      extra={<HealthState state={state} />}
    >
      <Flex vertical gap={12}>
        {state === "not_configured" && (
          <Typography.Text type="secondary">
            <CodeText text={t(`system.notConfigured.${name}`)} />
          </Typography.Text>
        )}
        {findings.map((finding) => (
          <FindingAlert key={`${finding.reason} ${"detail" in finding ? finding.detail : ""}`} finding={finding} />
        ))}
        {report !== undefined && <PartFacts report={report} />}
        {report === undefined && findings.length === 0 && state === "ok" && (
          <Typography.Text type="secondary">{t("system.nothingWrong")}</Typography.Text>
        )}
      </Flex>
    </Card>
  );
}

function FindingAlert({ finding }: { readonly finding: Finding }) {
  const { t } = useTranslation();
  const detail = "detail" in finding ? finding.detail : null;
  return (
    <Alert
      type={finding.state === "failing" ? "error" : "warning"}
      style={{ padding: "8px 12px" }}
      title={<span className="finding-title">{t(`system.reasons.${finding.reason}.sentence`)}</span>}
      description={
        <Flex vertical gap={4}>
          {detail !== null && <span style={{ overflowWrap: "anywhere" }}>{detail}</span>}
          <span>
            {t("problem.remedy")}: <CodeText text={t(`system.reasons.${finding.reason}.remedy`)} />
          </span>
        </Flex>
      }
    />
  );
}
