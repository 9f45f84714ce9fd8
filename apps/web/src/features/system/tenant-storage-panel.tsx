import { Flex } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { useSession } from "../../lib/session.tsx";
import { useTenantStorage } from "./system-queries.ts";
import { useKindRows } from "./use-kind-rows.ts";
import { UsageTable } from "./usage-table.tsx";

/** What the tenant stores. */
export function TenantStoragePanel() {
  const { t } = useTranslation();
  const { tenant } = useSession();
  const { data, error, isLoading, refetch } = useTenantStorage();
  const toKindRows = useKindRows();
  const title = t("system.storage.tenantTitle", { name: tenant?.name });
  return (
    <section aria-label={title} style={{ marginTop: 32 }}>
      <h2 className="section-title">{title}</h2>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      <Flex style={{ maxWidth: 720 }}>
        <UsageTable
          title={t("system.storage.byKind")}
          titles={[t("system.storage.kind"), t("system.storage.place")]}
          rows={toKindRows(data?.by_kind ?? [])}
          isLoading={isLoading}
        />
      </Flex>
    </section>
  );
}
