import { createRayScheduler } from "./ray/create-ray-scheduler.ts";
import type { SchedulerSettings } from "./scheduler-settings.ts";
import type { Scheduler } from "./scheduler.ts";
import { createSlurmClient } from "./slurm/create-slurm-client.ts";
import { createSlurmScheduler } from "./slurm/create-slurm-scheduler.ts";
import { createSlurmToken } from "./slurm/create-slurm-token.ts";

/** The clusters that this node is set up for. Runs on the node itself need none of them. */
export function createSchedulers({ slurm, ray, timeoutMs }: SchedulerSettings): readonly Scheduler[] {
  return [
    ...(slurm === undefined
      ? []
      : [
          createSlurmScheduler({
            client: createSlurmClient({
              url: slurm.url,
              user: slurm.user,
              timeoutMs,
              token: createSlurmToken(slurm, Date.now),
            }),
            settings: slurm.job,
          }),
        ]),
    ...(ray === undefined ? [] : [createRayScheduler({ ...ray, timeoutMs })]),
  ];
}
