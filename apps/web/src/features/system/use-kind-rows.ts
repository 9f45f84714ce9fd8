import type { TenantStorage } from "@attune/contracts/rest/system.ts";
import { useTranslation } from "react-i18next";
import type { UsageRow } from "./usage-table.tsx";

/** Gives the rows of a table of what is stored by kind of record. */
export function useKindRows(): (kinds: TenantStorage["by_kind"]) => UsageRow[] {
  const { t } = useTranslation();
  return (kinds) =>
    kinds.map(({ owner_kind: kind, place, ...usage }) => ({
      key: `${kind} ${place}`,
      names: [t(`system.storage.kinds.${kind}`, { defaultValue: kind }), t(`system.storage.places.${place}`)],
      ...usage,
    }));
}
