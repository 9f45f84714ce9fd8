export { findModel, selectProtectedModels } from "./repo.ts";
export { rotateSecrets } from "./rotate-secrets.ts";
export { bindModelRoutes } from "./routes.ts";
