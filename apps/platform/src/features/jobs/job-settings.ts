import { integerSetting } from "@attune/service-kit/load-config.ts";
import type { JobSettings } from "./executor.ts";

export const jobSettings = {
  PLATFORM_JOBS_AT_ONCE: integerSetting({ min: 1, max: 64, fallback: 4 }, "Jobs that one node works on at once"),
  PLATFORM_JOBS_POLL_MS: integerSetting({ min: 20, max: 60_000, fallback: 500 }, "How often a node looks for jobs"),
  PLATFORM_JOBS_LEASE_MS: integerSetting(
    { min: 500, max: 600_000, fallback: 15_000 },
    "Time after which the jobs of a node that is not heard of go to another one",
  ),
  PLATFORM_TRASH_DAYS: integerSetting(
    { min: 0, max: 3650, fallback: 30 },
    "Days after which datasets in the trash are removed for good; 0 keeps them",
  ),
};

export function toJobSettings(values: {
  readonly PLATFORM_JOBS_AT_ONCE: number;
  readonly PLATFORM_JOBS_POLL_MS: number;
  readonly PLATFORM_JOBS_LEASE_MS: number;
}): JobSettings {
  return {
    jobsAtOnce: values.PLATFORM_JOBS_AT_ONCE,
    pollMs: values.PLATFORM_JOBS_POLL_MS,
    leaseMs: values.PLATFORM_JOBS_LEASE_MS,
  };
}
