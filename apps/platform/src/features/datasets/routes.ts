import type { RouteBinding } from "../../http/route-binding.ts";
import { bindDeriveRoutes } from "./derive-routes.ts";
import { bindDownloadRoutes } from "./downloads/download-routes.ts";
import type { DatasetPorts } from "./ports.ts";
import { bindRecordRoutes } from "./record-routes.ts";
import { bindRowRoutes } from "./row-routes.ts";
import { bindUploadRoutes } from "./uploads/upload-routes.ts";
import { bindVersionRoutes } from "./version-routes.ts";

export function bindDatasetRoutes(ports: DatasetPorts): RouteBinding[] {
  return [
    ...bindRecordRoutes(),
    ...bindVersionRoutes(ports),
    ...bindUploadRoutes(ports),
    ...bindRowRoutes(),
    ...bindDeriveRoutes(ports),
    ...bindDownloadRoutes(ports),
  ];
}
