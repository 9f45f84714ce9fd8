import { Flex, Progress, Tag, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../lib/format.ts";
import type { Job, JobItem, JobState } from "./job-queries.ts";

const colours: Readonly<Record<JobState, string>> = {
  queued: "default",
  running: "processing",
  succeeded: "success",
  partially_succeeded: "warning",
  failed: "error",
  cancelled: "default",
};

export function StateTag({ state }: { readonly state: Job["state"] | JobItem["state"] }) {
  const { t } = useTranslation();
  return <Tag color={colours[state]}>{t(`jobs.states.${state}`)}</Tag>;
}

/** How many items have ended, and how many of them failed. */
export function JobProgress({ job: { items } }: { readonly job: Job }) {
  const { t, i18n } = useTranslation();
  const ended = items.succeeded + items.failed + items.cancelled;
  const percent = (count: number): number => (items.total === 0 ? 0 : Math.floor((count / items.total) * 100));
  const count = (value: number): string => formatCount(value, i18n.language);
  return (
    <Flex vertical style={{ minWidth: 180 }}>
      <Progress
        size="small"
        percent={percent(ended)}
        success={{ percent: percent(items.succeeded) }}
        showInfo={false}
        aria-label={t("jobs.progress")}
      />
      <Typography.Text type="secondary" style={{ fontSize: 12 }}>
        {t("jobs.ended", { ended: count(ended), total: count(items.total) })}
        {items.failed > 0 && ` · ${t("jobs.failedCount", { failed: count(items.failed) })}`}
      </Typography.Text>
    </Flex>
  );
}

/** What a kind of work does; the name of one that this page does not know yet. */
export function useKindName(): (kind: string) => string {
  const { t } = useTranslation();
  return (kind) => t(`jobs.kinds.${kind}`, { defaultValue: kind });
}
