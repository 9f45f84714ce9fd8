import { SyncOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Badge, Button, Flex, Popover, Typography } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { type Job, useRunningJobs } from "./job-queries.ts";
import { JobProgress, useKindName } from "./job-state.tsx";

/** How much work is under way in the tenant, and how far each piece is. */
export function RunningTray() {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const { data: jobs = [], error } = useRunningJobs();
  return (
    <Popover
      trigger="click"
      open={isOpen}
      onOpenChange={setIsOpen}
      content={<RunningList jobs={jobs} error={error} onLeave={() => setIsOpen(false)} />}
    >
      <Badge count={jobs.length} size="small" color="#2f54eb">
        <Button
          type="text"
          icon={<SyncOutlined spin={jobs.length > 0} />}
          aria-label={t("jobs.runningCount", { count: jobs.length })}
        />
      </Badge>
    </Popover>
  );
}

interface ListProps {
  readonly jobs: readonly Job[];
  readonly error: unknown;
  readonly onLeave: () => void;
}

function RunningList({ jobs, error, onLeave }: ListProps) {
  const { t } = useTranslation();
  const kindName = useKindName();
  return (
    <Flex vertical gap={8} style={{ width: 280 }}>
      <ProblemNotice error={error} />
      {jobs.length === 0 && !error && <Typography.Text>{t("jobs.nothingRuns")}</Typography.Text>}
      {jobs.map((job) => (
        <div key={job.id}>
          {kindName(job.kind)}
          <JobProgress job={job} />
        </div>
      ))}
      <Link to="/jobs" onClick={onLeave}>
        {t("jobs.all")}
      </Link>
    </Flex>
  );
}
