export { findDataset, selectProtectedDatasets } from "./repo.ts";
export { bindDatasetRoutes } from "./routes.ts";
export { sweepUploads } from "./uploads/sweep-uploads.ts";
export { sweepChunks } from "./version-repo.ts";
export { createTrashPurge, scheduleTrashPurge } from "./jobs.ts";
