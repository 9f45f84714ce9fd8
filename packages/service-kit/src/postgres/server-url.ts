import { type RunningServer, socketPort } from "./cluster-files.ts";

/** The one role of the server, its superuser. */
export const roleName = "attune";

/** The URL of a database, as any client of PostgreSQL reads it: the folder of the socket stands in `host`. */
export function databaseUrlOf({ socketFolder }: RunningServer, database: string): string {
  return `postgres://${roleName}@localhost:${socketPort}/${database}?host=${encodeURIComponent(socketFolder)}`;
}

/** The database that every server has. */
export const databaseName = "attune";
