/** Every table of the platform, for the generator of migrations. */
export * from "./features/access/tables.ts";
export * from "./features/audit/tables.ts";
export * from "./features/datasets/tables.ts";
export * from "./features/datasets/uploads/tables.ts";
export * from "./features/events/tables.ts";
export * from "./features/identity/tables.ts";
export * from "./features/jobs/tables.ts";
export * from "./features/models/tables.ts";
export * from "./features/storage/tables.ts";
export { idempotencyKeys } from "./http/idempotency.ts";
