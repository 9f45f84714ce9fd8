import { followEvents } from "@attune/contracts/rest/events.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { PlatformConfig } from "./config.ts";
import { authorise } from "./features/access/index.ts";
import { selectProtectedDatasets } from "./features/datasets/index.ts";
import { createEventHub, type EventHub } from "./features/events/index.ts";
import { selectProtectedJobs } from "./features/jobs/index.ts";
import { selectProtectedModels } from "./features/models/index.ts";
import type { Database } from "./infra/db/create-database.ts";

/** The streams of events of this node; they know the rights on every kind of record that events tell of. */
export const openEventHub = (config: PlatformConfig, database: Database, logger: Logger): EventHub =>
  createEventHub({
    database,
    listenerSettings: config.database,
    settings: config.eventStreams,
    logger,
    findProtected: { dataset: selectProtectedDatasets, model: selectProtectedModels, job: selectProtectedJobs },
    authorise: (principal) => authorise(principal, { contract: followEvents }),
  });
