import { resolve } from "node:path";
import { clusterFilesOf } from "./cluster-files.ts";
import { findServer } from "./find-server.ts";
import { databaseName, databaseUrlOf } from "./server-url.ts";

/** URL of the database of the embedded server that runs in this folder; undefined when none does. Starts nothing. */
export function findDatabaseUrl(folder: string): string | undefined {
  const server = findServer(clusterFilesOf(resolve(folder)));
  return server && databaseUrlOf(server, databaseName);
}
