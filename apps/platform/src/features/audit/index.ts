export { appendOperation } from "./append-operation.ts";
export { auditRoutes } from "./routes.ts";
export { verifyLog } from "./verify-log.ts";
