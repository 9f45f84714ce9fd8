import { jobStates } from "@attune/contracts/rest/jobs.ts";
import { Button, Empty, Segmented, Select, Table } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { MoreButton } from "../../components/more-button.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatTime } from "../../lib/format.ts";
import { useSession } from "../../lib/session.tsx";
import { JobDrawer } from "./job-drawer.tsx";
import { type Job, type JobScope, type JobState, useJobs } from "./job-queries.ts";
import { JobProgress, StateTag, useKindName } from "./job-state.tsx";

/** What the platform does in the background: how far it is, what failed and why. */
export function JobsPage() {
  const { t } = useTranslation();
  const { session } = useSession();
  const [scope, setScope] = useState<JobScope>("tenant");
  const [state, setState] = useState<JobState>();
  const [openId, setOpenId] = useState<string>();
  const query = useJobs(scope, state);
  const maySeePlatform = session?.user.platform_role != null;
  return (
    <>
      <PageTitle title={t("jobs.title")} hint={t("jobs.hint")}>
        {maySeePlatform && (
          <Segmented<JobScope>
            aria-label={t("jobs.whose")}
            value={scope}
            options={(["tenant", "platform"] as const).map((value) => ({ value, label: t(`jobs.scopes.${value}`) }))}
            onChange={setScope}
          />
        )}
        <Select<JobState>
          allowClear
          aria-label={t("jobs.state")}
          placeholder={t("jobs.anyState")}
          style={{ width: 180 }}
          options={jobStates.map((value) => ({ value, label: t(`jobs.states.${value}`) }))}
          onChange={setState}
        />
      </PageTitle>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <JobTable query={query} empty={t(state === undefined ? "jobs.empty" : "jobs.emptySearch")} onOpen={setOpenId} />
      <MoreButton query={query} />
      {openId !== undefined && <JobDrawer scope={scope} id={openId} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

interface TableProps {
  readonly query: ReturnType<typeof useJobs>;
  readonly empty: string;
  readonly onOpen: (id: string) => void;
}

function JobTable({ query, empty, onOpen }: TableProps) {
  const { t, i18n } = useTranslation();
  const kindName = useKindName();
  const time = (at: string | null): string => (at === null ? "—" : formatTime(at, i18n.language));
  return (
    <Table<Job>
      rowKey="id"
      size="small"
      loading={query.isLoading}
      dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
      pagination={false}
      scroll={{ x: "max-content" }}
      locale={{ emptyText: <Empty description={empty} /> }}
      columns={[
        {
          title: t("jobs.kind"),
          key: "kind",
          render: (_, { id, kind }) => (
            <Button type="link" size="small" style={{ padding: 0 }} onClick={() => onOpen(id)}>
              {kindName(kind)}
            </Button>
          ),
        },
        { title: t("jobs.state"), dataIndex: "state", render: (state: JobState) => <StateTag state={state} /> },
        { title: t("jobs.progress"), key: "progress", render: (_, job) => <JobProgress job={job} /> },
        { title: t("common.created"), dataIndex: "created_at", render: time },
        { title: t("jobs.endedAt"), dataIndex: "ended_at", render: time },
      ]}
    />
  );
}
