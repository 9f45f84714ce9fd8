import { gpuListView } from "@attune/contracts/compute/device-api.ts";
import { type GpuListSources, toGpuList } from "../devices/to-gpu-list.ts";
import { bindNodeRoute, defineNodeRoute, type NodeBinding } from "./node-route.ts";

export const listGpus = defineNodeRoute({
  id: "listGpus",
  method: "GET",
  path: "/compute/gpus",
  tag: "GPUs",
  summary: "The node's GPUs as they are now: figures with units in their names, null for unknown, and who has them",
  access: "token",
  responses: { 200: gpuListView },
});

/** What tells of the GPUs. */
export const deviceRoutes = (sources: GpuListSources): NodeBinding[] => [
  bindNodeRoute(listGpus, async () => ({ body: toGpuList(sources) })),
];
