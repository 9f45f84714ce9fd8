import type { SystemStorage } from "@attune/contracts/rest/system.ts";
import { Alert, Flex } from "antd";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatTime } from "../../lib/format.ts";
import { useKindRows } from "./use-kind-rows.ts";
import { UsageTable, type UsageRow } from "./usage-table.tsx";
import { useVerification } from "./use-verification.ts";
import { Verification } from "./verification.tsx";

/** All that the platform stores. */
export function SystemStoragePanel() {
  const { t } = useTranslation();
  const verification = useVerification();
  const { data, error, isLoading, refetch } = verification.storage;
  const toKindRows = useKindRows();
  return (
    <section aria-label={t("system.storage.title")} style={{ marginTop: 32 }}>
      <h2 className="section-title">{t("system.storage.title")}</h2>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      {data !== undefined && <Overdue overdue={data.overdue} />}
      <Flex gap={24} wrap>
        <UsageTable
          title={t("system.storage.byState")}
          titles={[t("system.storage.store"), t("system.storage.state")]}
          rows={data?.objects.map(toObjectRow(t)) ?? []}
          isLoading={isLoading}
        />
        <UsageTable
          title={t("system.storage.byKind")}
          titles={[t("system.storage.kind"), t("system.storage.place")]}
          rows={toKindRows(data?.by_kind ?? [])}
          isLoading={isLoading}
        />
        <UsageTable
          title={t("system.storage.byTenant")}
          titles={[t("app.tenant")]}
          rows={data === undefined ? [] : toTenantRows(data, t)}
          isLoading={isLoading}
        />
      </Flex>
      {data !== undefined && <Verification last={data.last_verification} begin={verification} />}
    </section>
  );
}

const toObjectRow =
  (t: TFunction) =>
  ({ store, state, ...usage }: SystemStorage["objects"][number]): UsageRow => ({
    key: `${store} ${state}`,
    names: [t(`system.facts.stores.${store}`), t(`system.storage.states.${state}`)],
    ...usage,
  });

function toTenantRows({ by_tenant: tenants, other_tenants: others }: SystemStorage, t: TFunction): UsageRow[] {
  const rows = tenants.map(({ tenant_id: key, tenant_name: name, ...usage }) => ({ key, names: [name], ...usage }));
  const { tenants: count, ...usage } = others;
  return count === 0
    ? rows
    : [...rows, { key: "others", names: [t("system.storage.otherTenants", { count })], ...usage }];
}

function Overdue({ overdue }: { readonly overdue: SystemStorage["overdue"] }) {
  const { t, i18n } = useTranslation();
  const { pending, deleting, oldest_at: oldestAt } = overdue;
  if (pending + deleting === 0 || oldestAt === null) return null;
  return (
    <Alert
      type="warning"
      showIcon
      style={{ marginBottom: 16 }}
      title={t("system.storage.overdue", { pending, deleting, at: formatTime(oldestAt, i18n.language) })}
      description={t("system.storage.overdueHint")}
    />
  );
}
