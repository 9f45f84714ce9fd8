import { Alert, Button, Drawer, Flex, Popconfirm, Spin, Table, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { MoreButton } from "../../components/more-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatCount, formatTime } from "../../lib/format.ts";
import { type JobDetail, type JobItem, type JobScope, useJob, useJobActions, useJobItems } from "./job-queries.ts";
import { JobProgress, StateTag, useKindName } from "./job-state.tsx";

interface Props {
  readonly scope: JobScope;
  readonly id: string;
  readonly onClose: () => void;
}

/** One job: what is done of it, what failed and what to do about that, and each of its items. */
export function JobDrawer({ scope, id, onClose }: Props) {
  const { data: job, error, refetch } = useJob(scope, id);
  const kindName = useKindName();
  return (
    <Drawer open size="large" title={job ? kindName(job.kind) : ""} onClose={onClose}>
      <Flex vertical gap={16}>
        <ProblemNotice error={error} onRetry={() => void refetch()} />
        {job ? <JobView scope={scope} job={job} /> : !error && <Spin />}
      </Flex>
    </Drawer>
  );
}

function JobView({ scope, job }: { readonly scope: JobScope; readonly job: JobDetail }) {
  const { t } = useTranslation();
  const { cancel, retry } = useJobActions(scope, job.id);
  const isUnderWay = job.state === "queued" || job.state === "running";
  return (
    <>
      <Flex gap={12} align="center" wrap>
        <StateTag state={job.state} />
        <JobProgress job={job} />
        <div style={{ flex: 1 }} />
        {isUnderWay && (
          <Popconfirm title={t("jobs.cancelConfirm")} onConfirm={() => cancel.mutate()} disabled={job.is_cancelling}>
            <Button danger loading={cancel.isPending} disabled={job.is_cancelling}>
              {t(job.is_cancelling ? "jobs.cancelling" : "jobs.cancel")}
            </Button>
          </Popconfirm>
        )}
        {!isUnderWay && job.failures.length > 1 && (
          <Button loading={retry.isPending} onClick={() => retry.mutate(undefined)}>
            {t("jobs.retryAll")}
          </Button>
        )}
      </Flex>
      <ProblemNotice error={cancel.error ?? retry.error} />
      {job.failures.map((failure) => (
        <Failure
          key={failure.reason}
          failure={failure}
          action={
            !isUnderWay && (
              <Button size="small" loading={retry.isPending} onClick={() => retry.mutate(failure.reason)}>
                {t("jobs.retry")}
              </Button>
            )
          }
        />
      ))}
      <JobItems scope={scope} id={job.id} isRunning={isUnderWay} />
    </>
  );
}

function Failure({
  failure: { reason, count, detail, remedy },
  action,
}: {
  readonly failure: JobDetail["failures"][number];
  readonly action: React.ReactNode;
}) {
  const { t, i18n } = useTranslation();
  return (
    <Alert
      type="warning"
      showIcon
      title={`${reason} · ${t("jobs.items", { items: formatCount(count, i18n.language) })}`}
      description={
        <Flex vertical>
          {detail !== null && <span>{detail}</span>}
          <span>
            {t("problem.remedy")}: {remedy}
          </span>
        </Flex>
      }
      action={action}
    />
  );
}

function JobItems({
  scope,
  id,
  isRunning,
}: {
  readonly scope: JobScope;
  readonly id: string;
  readonly isRunning: boolean;
}) {
  const { t, i18n } = useTranslation();
  const query = useJobItems(scope, id, isRunning);
  return (
    <>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <Table<JobItem>
        rowKey="item_no"
        size="small"
        loading={query.isLoading}
        dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
        pagination={false}
        scroll={{ x: "max-content" }}
        columns={[
          { title: "#", dataIndex: "item_no", align: "right" },
          { title: t("jobs.subject"), dataIndex: "subject" },
          {
            title: t("jobs.state"),
            dataIndex: "state",
            render: (state: JobItem["state"]) => <StateTag state={state} />,
          },
          { title: t("jobs.attempts"), dataIndex: "attempts", align: "right" },
          { title: t("jobs.outcome"), key: "outcome", render: (_, item) => <Outcome item={item} /> },
          {
            title: t("jobs.endedAt"),
            dataIndex: "ended_at",
            render: (at: string | null) => (at === null ? "—" : formatTime(at, i18n.language)),
          },
        ]}
      />
      <MoreButton query={query} />
    </>
  );
}

function Outcome({ item: { error, result, next_attempt_at: nextAt } }: { readonly item: JobItem }) {
  const { t, i18n } = useTranslation();
  if (error !== null)
    return (
      <Flex vertical style={{ maxWidth: 360, whiteSpace: "normal" }}>
        <span>{error.reason}</span>
        {error.detail !== null && <Typography.Text type="secondary">{error.detail}</Typography.Text>}
        {nextAt !== null && <span>{t("jobs.nextAttempt", { at: formatTime(nextAt, i18n.language) })}</span>}
      </Flex>
    );
  return result === null ? "—" : <code style={{ whiteSpace: "pre-wrap" }}>{JSON.stringify(result)}</code>;
}
