import type { HealthPartReport } from "@attune/contracts/rest/system.ts";
import { Descriptions, Flex, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { formatCount, formatSize, formatTime } from "../../lib/format.ts";
import { HealthState } from "./health-state.tsx";

type ReportOf<P extends HealthPartReport["part"]> = Extract<HealthPartReport, { part: P }>;
type Rows = readonly (readonly [label: string, value: string])[];

/** What was found out of a part, for the operator. */
export function PartFacts({ report }: { readonly report: HealthPartReport }) {
  const rows = useRows(report);
  if (report.part === "sweepers") return <Sweeps report={report} />;
  if (rows.length === 0) return null;
  return (
    <Descriptions
      size="small"
      column={1}
      colon={false}
      items={rows.map(([label, value]) => ({ key: label, label, children: <span className="fact">{value}</span> }))}
    />
  );
}

function useRows(report: HealthPartReport): Rows {
  const { t, i18n } = useTranslation();
  const format = { t: (key: string, values = {}) => t(`system.facts.${key}`, values), language: i18n.language };
  if (report.part === "database") return databaseRows(report, format);
  if (report.part === "object_store") return storeRows(report, format);
  if (report.part === "parser") return parserRows(report, format);
  return report.part === "clock" ? clockRows(report, format) : [];
}

interface Format {
  readonly t: (key: string, values?: Readonly<Record<string, unknown>>) => string;
  readonly language: string;
}

function databaseRows({ facts }: ReportOf<"database">, { t, language }: Format): Rows {
  if (facts === null) return [];
  const inUse = { used: facts.connections_in_use, max: facts.connections_max, waiting: facts.requests_waiting };
  return [
    [t("version"), `PostgreSQL ${facts.server_version}`],
    [t("latency"), milliseconds(facts.latency_ms, language)],
    [t("size"), formatSize(facts.size_bytes, language)],
    [t("migrations"), t("migrationsOf", { applied: facts.migrations_applied, known: facts.migrations_known })],
    [t("connections"), t("connectionsOf", inUse)],
  ];
}

function storeRows({ facts }: ReportOf<"object_store">, { t, language }: Format): Rows {
  if (facts === null) return [];
  const { free_bytes: freeBytes, verified_at: verifiedAt } = facts;
  return [
    [t("store"), t(`stores.${facts.store}`)],
    [t("storeLatency"), milliseconds(facts.latency_ms, language)],
    ...(freeBytes === null ? [] : [[t("free"), formatSize(freeBytes, language)] as const]),
    [t("lookedFor"), formatCount(facts.objects_looked_for, language)],
    [t("verified"), verifiedAt === null ? t("never") : formatTime(verifiedAt, language)],
  ];
}

function parserRows({ facts }: ReportOf<"parser">, { t, language }: Format): Rows {
  if (facts === null) return [];
  return [
    [t("address"), facts.url],
    [t("latency"), milliseconds(facts.latency_ms, language)],
  ];
}

function clockRows({ facts }: ReportOf<"clock">, { t, language }: Format): Rows {
  if (facts === null) return [];
  const uncertainty = milliseconds(facts.uncertainty_ms, language);
  return [[t("skew"), t("skewOf", { skew: milliseconds(facts.skew_ms, language), uncertainty })]];
}

const milliseconds = (value: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "unit", unit: "millisecond" }).format(value);

function Sweeps({ report: { facts } }: { readonly report: ReportOf<"sweepers"> }) {
  const { t, i18n } = useTranslation();
  if (facts === null) return null;
  return (
    <ul className="plain-list">
      {facts.sweeps.map(({ name, ended_at: endedAt, is_last_well: isWell }) => (
        <li key={name}>
          <Flex justify="space-between" gap={8}>
            <span>{t(`system.sweeps.${name}`, { defaultValue: name })}</span>
            {isWell === false ? (
              <HealthState state="degraded" />
            ) : (
              <Typography.Text type="secondary">
                {endedAt === null ? t("system.notYet") : formatTime(endedAt, i18n.language)}
              </Typography.Text>
            )}
          </Flex>
        </li>
      ))}
    </ul>
  );
}
