import type { FastifyInstance } from "fastify";
import type { Database } from "../infra/db/create-database.ts";
import { pingDatabase } from "../infra/db/ping-database.ts";

/**
 * `/healthz` answers while the process serves; `/readyz` tells whether it can do its work, which it cannot without the database
 * or while it stops. Neither needs a token, and neither tells why: the log does.
 */
export function addHealth(server: FastifyInstance, database: Database): void {
  server.get("/healthz", async (_, reply) => reply.send({ status: "ok" }));
  server.get("/readyz", async (_, reply) => {
    await pingDatabase(database.queries);
    return reply.send({ status: "ready" });
  });
}
