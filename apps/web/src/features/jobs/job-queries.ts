import {
  cancelJob,
  cancelPlatformJob,
  getJob,
  getPlatformJob,
  type jobDetailSchema,
  type jobItemSchema,
  type jobSchema,
  type jobStates,
  listJobItems,
  listJobs,
  listPlatformJobItems,
  listPlatformJobs,
  retryJob,
  retryPlatformJob,
} from "@attune/contracts/rest/jobs.ts";
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type * as z from "zod";
import { api } from "../../lib/api.ts";
import { useSession } from "../../lib/session.tsx";

export type Job = z.infer<typeof jobSchema>;
export type JobDetail = z.infer<typeof jobDetailSchema>;
export type JobItem = z.infer<typeof jobItemSchema>;
export type JobState = (typeof jobStates)[number];
/** The work of the chosen tenant, or that of the platform as a whole, which its operators and auditors may see. */
export type JobScope = "tenant" | "platform";

const routes = {
  tenant: { list: listJobs, get: getJob, items: listJobItems, cancel: cancelJob, retry: retryJob },
  platform: {
    list: listPlatformJobs,
    get: getPlatformJob,
    items: listPlatformJobItems,
    cancel: cancelPlatformJob,
    retry: retryPlatformJob,
  },
} as const;

/** Work of the platform as a whole tells no events to tenants; that of a tenant does, and is looked at in case one was missed. */
const busyMs: Readonly<Record<JobScope, number>> = { tenant: 15_000, platform: 2000 };
const idleMs = 60_000;
const isUnderWay = (job: Job | undefined): boolean =>
  job !== undefined && (job.state === "queued" || job.state === "running");
const pollMs = (scope: JobScope, jobs: readonly (Job | undefined)[]): number =>
  jobs.some(isUnderWay) ? busyMs[scope] : idleMs;

export function useJobs(scope: JobScope, state: JobState | undefined) {
  const { tenant } = useSession();
  return useInfiniteQuery({
    queryKey: ["jobs", tenant?.id, scope, "list", state],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await api.call(routes[scope].list, { query: { cursor: pageParam, state }, signal })).body,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => pollMs(scope, data?.pages.flatMap(({ items }) => items) ?? []),
  });
}

/** What is under way in the tenant now. */
export function useRunningJobs() {
  const { tenant } = useSession();
  return useQuery({
    queryKey: ["jobs", tenant?.id, "tenant", "running"],
    enabled: tenant !== undefined,
    queryFn: async ({ signal }) => {
      const [running, queued] = await Promise.all(
        (["running", "queued"] as const).map((state) => api.call(listJobs, { query: { state, limit: 20 }, signal })),
      );
      return [...(running?.body.items ?? []), ...(queued?.body.items ?? [])];
    },
    refetchInterval: ({ state: { data } }) => pollMs("tenant", data ?? []),
  });
}

export function useJob(scope: JobScope, id: string) {
  const { tenant } = useSession();
  return useQuery({
    queryKey: ["jobs", tenant?.id, scope, id],
    queryFn: async ({ signal }) => (await api.call(routes[scope].get, { params: { job_id: id }, signal })).body,
    refetchInterval: ({ state: { data } }) => pollMs(scope, [data]),
  });
}

export function useJobItems(scope: JobScope, id: string, isRunning: boolean) {
  const { tenant } = useSession();
  return useInfiniteQuery({
    queryKey: ["jobs", tenant?.id, scope, id, "items"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await api.call(routes[scope].items, { params: { job_id: id }, query: { cursor: pageParam }, signal })).body,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: isRunning ? busyMs[scope] : false,
  });
}

/** Cancels a job, or runs again what failed in it: for one reason, or all of it. */
export function useJobActions(scope: JobScope, id: string) {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: ["jobs"] });
  const params = { job_id: id };
  return {
    cancel: useMutation({ mutationFn: () => api.call(routes[scope].cancel, { params }), onSettled }),
    retry: useMutation({
      mutationFn: (reason: string | undefined) => api.call(routes[scope].retry, { params, body: { reason } }),
      onSettled,
    }),
  };
}
