import { fileReadQuery, fileReadView } from "@attune/contracts/compute/cache-api.ts";
import type { FileReader } from "../files/file-reader.ts";
import { bindNodeRoute, defineNodeRoute, type NodeBinding } from "./node-route.ts";

export const readNodeFile = defineNodeRoute({
  access: "token",
  tag: "files",
  id: "readNodeFile",
  method: "GET",
  path: "/compute/files/read",
  summary: "A part of a file of a job or of the cache, as text or in base64, or its last lines",
  query: fileReadQuery,
  responses: { 200: fileReadView },
});

/** Reading files of the node. */
export function fileRoutes(files: FileReader): NodeBinding[] {
  return [bindNodeRoute(readNodeFile, async ({ query, signal }) => ({ body: await files.read(query, signal) }))];
}
