import { getSystemHealth, getSystemStatus, getSystemStorage, getTenantStorage } from "@attune/contracts/rest/system.ts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { useSession } from "../../lib/session.tsx";

/** Whether the user runs the platform, and sees all of it; others see what concerns their tenant. */
export function useIsOperator(): boolean {
  return useSession().session?.user.platform_role === "operator";
}

/** The checks, made when the page is opened and when one asks for them. */
export function useHealth() {
  const isOperator = useIsOperator();
  const { tenant } = useSession();
  return useQuery({
    queryKey: ["system", tenant?.id, "health", isOperator],
    queryFn: async ({ signal }) =>
      isOperator
        ? { ...(await api.call(getSystemHealth, { signal })).body, isFull: true as const }
        : { ...(await api.call(getSystemStatus, { signal })).body, isFull: false as const },
  });
}

/** What the platform stores, for its operator. */
export function useSystemStorage(isEnabled: boolean) {
  return useQuery({
    queryKey: ["system", "storage"],
    enabled: isEnabled,
    queryFn: async ({ signal }) => (await api.call(getSystemStorage, { query: {}, signal })).body,
  });
}

/** What the tenant stores, for its administrators. */
export function useTenantStorage(isEnabled: boolean) {
  const { tenant } = useSession();
  return useQuery({
    queryKey: ["system", tenant?.id, "tenant storage"],
    enabled: isEnabled,
    queryFn: async ({ signal }) => (await api.call(getTenantStorage, { signal })).body,
  });
}
