export { createObjectStoreProbe } from "./probe-object-store.ts";
export { bindSystemRoutes } from "./routes.ts";
