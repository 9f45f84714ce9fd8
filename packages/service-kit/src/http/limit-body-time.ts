import { PassThrough } from "node:stream";
import { AppError } from "../app-error.ts";
import type { FastifyInstance } from "fastify";

/**
 * Gives a body that is read whole `limitMs` to come, from the end of its headers on: Node's own limit is off, since it would
 * hold for uploads, too; a minute is enough for the largest JSON body over a slow line. The caller is told
 * `REQUEST_TOO_SLOW`, and the connection ends.
 */
export function limitBodyTime(server: FastifyInstance, limitMs = 60_000): void {
  server.addHook("preParsing", async ({ method, raw }, reply, payload) => {
    if (method === "GET" || method === "HEAD" || raw.complete) return payload;
    // Between the request and its reader: a request that is destroyed takes the connection along, and nobody is answered.
    const body = new PassThrough();
    // Nobody else listens where the request is refused before its body is read.
    body.on("error", () => undefined);
    const timer = setTimeout(() => {
      void reply.header("connection", "close");
      body.destroy(new AppError("REQUEST_TOO_SLOW"));
    }, limitMs);
    for (const stream of [body, reply.raw]) stream.once("close", () => clearTimeout(timer));
    payload.once("error", (error) => body.destroy(error));
    payload.pipe(body);
    return body;
  });
}
