import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { PlatformConfig } from "./config.ts";
import { createTrashPurge, scheduleTrashPurge } from "./features/datasets/index.ts";
import { bindJobRoutes, createJobs, type JobExecutor, startExecutor } from "./features/jobs/index.ts";
import { bindStorageRoutes, createStorageVerification, type Storage } from "./features/storage/index.ts";
import type { Operation, RouteBinding } from "./http/route-binding.ts";
import type { Database, Transaction } from "./infra/db/create-database.ts";
import type { ObjectStores } from "./infra/storage/object-stores.ts";

interface JobParts {
  readonly config: PlatformConfig;
  readonly database: Database;
  readonly storage: Storage;
  readonly stores: ObjectStores;
  readonly logger: Logger;
  readonly appendOperation: (tx: Transaction, operation: Operation) => Promise<void>;
}

export interface AssembledJobs {
  readonly bindings: readonly RouteBinding[];
  readonly start: () => JobExecutor;
}

/** Every kind of background work, what begins it, and who does it. */
export function assembleJobs(parts: JobParts): AssembledJobs {
  const { config, database, storage, stores, logger, appendOperation } = parts;
  const trashPurge = createTrashPurge({ storage, appendOperation });
  const verification = createStorageVerification({ database, stores });
  const kinds = [trashPurge, verification];
  const jobs = createJobs({ kinds, logger });
  const { trashDays } = config;
  const schedules = trashDays > 0 ? [scheduleTrashPurge(jobs, trashPurge, trashDays)] : [];
  return {
    bindings: [...bindJobRoutes(jobs), ...bindStorageRoutes({ jobs, verification })],
    start: () => startExecutor({ database, logger, kinds, schedules, settings: config.jobs }),
  };
}
