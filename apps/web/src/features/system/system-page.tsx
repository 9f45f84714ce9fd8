import { ReloadOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button, Flex, Skeleton, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatTime } from "../../lib/format.ts";
import { useHasRole } from "../../lib/session.tsx";
import { formatDuration } from "./format-duration.ts";
import { HealthCard } from "./health-card.tsx";
import { HealthState } from "./health-state.tsx";
import { SystemStoragePanel } from "./system-storage-panel.tsx";
import { useHealth, useIsOperator } from "./system-queries.ts";
import { TenantStoragePanel } from "./tenant-storage-panel.tsx";

/** How the platform and what it stands on are, and what is stored. */
export function SystemPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const isOperator = useIsOperator();
  const isAdmin = useHasRole("admin");
  const query = useHealth();
  return (
    <>
      <PageTitle title={t("system.title")} hint={t(isOperator ? "system.hint" : "system.hintTenant")}>
        <Button
          icon={<ReloadOutlined />}
          loading={query.isFetching}
          onClick={() => void client.invalidateQueries({ queryKey: ["system"] })}
        >
          {t("system.again")}
        </Button>
      </PageTitle>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      {query.isLoading && <Skeleton active paragraph={{ rows: 8 }} />}
      {query.data !== undefined && <Health health={query.data} />}
      {isOperator && <SystemStoragePanel />}
      {isAdmin && <TenantStoragePanel />}
    </>
  );
}

function Health({ health }: { readonly health: NonNullable<ReturnType<typeof useHealth>["data"]> }) {
  const { t, i18n } = useTranslation();
  const { state, version, started_at: startedAt, checked_at: checkedAt } = health;
  const upSeconds = (Date.parse(checkedAt) - Date.parse(startedAt)) / 1000;
  return (
    <section aria-label={t("system.parts.all")}>
      <Flex align="center" gap="4px 16px" wrap style={{ marginBottom: 16 }} role="status">
        <HealthState state={state} isLarge />
        <Typography.Text type="secondary">
          {[
            `Attune ${version}`,
            t("system.upFor", { duration: formatDuration(upSeconds, i18n.language) }),
            ...(health.isFull ? [t("system.onNode", { node: health.node })] : []),
            t("system.checked", { at: formatTime(checkedAt, i18n.language) }),
          ].join(" · ")}
        </Typography.Text>
      </Flex>
      <div className="health-cards">
        {health.isFull
          ? health.parts.map((part) => <HealthCard key={part.part} part={part} report={part} />)
          : health.parts.map((part) => <HealthCard key={part.part} part={part} />)}
      </div>
    </section>
  );
}
