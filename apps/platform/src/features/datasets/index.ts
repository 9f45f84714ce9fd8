export { findDataset } from "./repo.ts";
export { bindDatasetRoutes } from "./routes.ts";
export { sweepChunks } from "./version-repo.ts";
