export {
  isLive,
  type KindUsage,
  measureKinds,
  measureObjects,
  measureOverdue,
  measureTenants,
  sampleObjects,
} from "./measure-storage.ts";
export { createStorage, type Storage } from "./service.ts";
export type { StagedFile } from "./stage-file.ts";
export { findLastVerification, type Verification, verifyAndRecord } from "./verification-repo.ts";
export { createStorageVerification } from "./jobs.ts";
export { bindStorageRoutes } from "./routes.ts";
