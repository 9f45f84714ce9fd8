export { bindSystemRoutes } from "./routes.ts";
