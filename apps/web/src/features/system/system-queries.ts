import {
  getSystemHealth,
  getSystemStatus,
  getSystemStorage,
  getTenantStorage,
  type SystemStorage,
} from "@attune/contracts/rest/system.ts";
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

const pollMs = 2000;

/** A verification that was begun here. */
export interface Awaited {
  /** When the verification before it ended. */
  readonly previousEnd: string | undefined;
}

/** What the platform stores, for its operator; asked again and again until a verification has ended that is waited for. */
export function useSystemStorage(awaited: Awaited | undefined) {
  return useQuery<SystemStorage>({
    queryKey: ["system", "storage"],
    refetchInterval: ({ state }) => (awaited === undefined || hasEnded(awaited, state.data) ? false : pollMs),
    queryFn: async ({ signal }) => (await api.call(getSystemStorage, { query: {}, signal })).body,
  });
}

export const endOf = (storage: SystemStorage | undefined): string | undefined =>
  storage?.last_verification?.ended_at ?? undefined;

export function hasEnded({ previousEnd }: Awaited, storage: SystemStorage | undefined): boolean {
  const end = endOf(storage);
  return end !== undefined && end !== previousEnd;
}

/** What the tenant stores, for its administrators. */
export function useTenantStorage() {
  const { tenant } = useSession();
  return useQuery({
    queryKey: ["system", tenant?.id, "tenant storage"],
    queryFn: async ({ signal }) => (await api.call(getTenantStorage, { signal })).body,
  });
}
