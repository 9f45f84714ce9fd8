import type { SystemStorage } from "@attune/contracts/rest/system.ts";
import { Alert, Button, Flex, Table } from "antd";
import { useTranslation } from "react-i18next";
import { CodeText } from "../../components/code-text.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatCount, formatSize, formatTime } from "../../lib/format.ts";

type Run = NonNullable<SystemStorage["last_verification"]>;
type Fault = Run["faults"][number];

interface Props {
  readonly last: Run | null;
  readonly begin: { readonly start: () => void; readonly isRunning: boolean; readonly error: unknown };
}

/** What the last verification of all that is stored found. */
export function Verification({ last, begin }: Props) {
  const { t } = useTranslation();
  return (
    <section aria-label={t("system.verification.title")} style={{ marginTop: 24 }}>
      <Flex justify="space-between" align="center" style={{ marginBottom: 8 }}>
        <h3 className="card-title">{t("system.verification.title")}</h3>
        <Button size="small" loading={begin.isRunning} onClick={begin.start}>
          {t("system.verification.begin")}
        </Button>
      </Flex>
      <ProblemNotice error={begin.error} />
      <Flex vertical gap={12}>
        <Outcome last={last} />
        {last !== null && last.faults.length > 0 && <Faults run={last} />}
      </Flex>
    </section>
  );
}

function Outcome({ last }: { readonly last: Run | null }) {
  const { t, i18n } = useTranslation();
  const hint = <CodeText text={t("system.verification.hint")} />;
  if (last === null) return <Alert type="info" showIcon title={t("system.verification.never")} description={hint} />;
  const { ended_at: endedAt, failure, fault_count: faults } = last;
  const begun = formatTime(last.started_at, i18n.language);
  if (failure !== null) {
    const title = t("system.verification.failed", { at: begun });
    return <Alert type="error" showIcon title={title} description={failure} />;
  }
  if (endedAt === null) return <Alert type="info" showIcon title={t("system.verification.underWay", { at: begun })} />;
  const sums = {
    at: formatTime(endedAt, i18n.language),
    objects: formatCount(last.object_count ?? 0, i18n.language),
    inline: formatCount(last.inline_count ?? 0, i18n.language),
    size: formatSize(last.size_bytes ?? 0, i18n.language),
    faults: formatCount(faults ?? 0, i18n.language),
  };
  if (faults === 0) return <Alert type="success" showIcon title={t("system.verification.well", sums)} />;
  return <Alert type="error" showIcon title={t("system.verification.faults", sums)} description={hint} />;
}

function Faults({ run }: { readonly run: Run }) {
  const { t, i18n } = useTranslation();
  const count = run.fault_count ?? run.faults.length;
  return (
    <Table<Fault>
      rowKey={({ kind, subject }) => `${kind} ${subject}`}
      size="small"
      dataSource={[...run.faults]}
      pagination={run.faults.length > 10 && { pageSize: 10, showSizeChanger: false }}
      tableLayout="fixed"
      {...(count > run.faults.length && {
        footer: () => (
          <CodeText
            text={t("system.verification.more", { count: formatCount(count - run.faults.length, i18n.language) })}
          />
        ),
      })}
      columns={[
        {
          title: t("system.verification.kind"),
          dataIndex: "kind",
          width: 104,
          render: (kind: string) => t(`system.verification.kinds.${kind}`, { defaultValue: kind }),
        },
        {
          title: t("system.verification.subject"),
          dataIndex: "subject",
          render: (key: string) => <code className="long-name">{key}</code>,
        },
        {
          title: t("system.verification.owner"),
          dataIndex: "owner",
          render: (owner: string | null) => <span className="long-name">{owner}</span>,
        },
        {
          title: t("problem.remedy"),
          key: "remedy",
          render: (_, { kind }) => t(`system.verification.remedies.${kind}`, { defaultValue: "" }),
        },
      ]}
    />
  );
}
