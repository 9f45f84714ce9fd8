export { type JobExecutor, startExecutor } from "./executor.ts";
export { defineJobKind, type JobRow, type JobSchedule, type NewItem } from "./job-kind.ts";
export { createJobs, type Jobs } from "./jobs.ts";
export { listOutcomes } from "./list-outcomes.ts";
export { selectProtectedJobs, sweepJobs } from "./repo.ts";
export { bindJobRoutes } from "./routes.ts";
export { toWire as toJobWire } from "./to-wire.ts";
