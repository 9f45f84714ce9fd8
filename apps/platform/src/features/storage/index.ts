export { createStorage, type Storage } from "./service.ts";
export type { StagedFile } from "./stage-file.ts";
export { verifyStorage } from "./verify-storage.ts";
