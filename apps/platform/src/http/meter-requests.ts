import type { Socket } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { PlatformMetrics } from "../infra/metrics/create-metrics.ts";
import { toProblem } from "./to-problem.ts";

type RequestMetrics = Pick<PlatformMetrics, "observeRequest" | "countProblem" | "countRateLimit">;

/** Tells the metrics of every request. Streams of events have no duration that would mean anything, and are left out. */
export function meterRequests(server: FastifyInstance, metrics: RequestMetrics, uploads: ReadonlySet<string>): void {
  const receivedBytes = createByteCounter();
  server.addHook("onResponse", async (request, reply) => {
    if (String(reply.getHeader("content-type")).startsWith("text/event-stream")) return;
    metrics.observeRequest({
      route: routeOf(request),
      method: request.method,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      receivedBytes: receivedBytes(request.raw.socket),
      isUpload: uploads.has(request.routeOptions.config.operation ?? ""),
    });
  });
  server.addHook("onError", async (request, _, error) => {
    const { reason } = toProblem(error, request.id).problem;
    metrics.countProblem(reason);
    // Users are known only once their address was let through.
    if (reason === "RATE_LIMITED") metrics.countRateLimit(request.principal === undefined ? "address" : "user");
  });
}

// As many labels as there are operations: whoever asks for what is not there, or for files of the web app, makes no more.
function routeOf({ routeOptions: { url } }: FastifyRequest): string {
  if (url === undefined) return "unmatched";
  return /^\/(?:api\/|healthz$|readyz$)/.test(url) ? url : "web app";
}

/** The bytes that came over a connection since it was last asked; requests on one connection come one after the other. */
function createByteCounter(): (socket: Socket) => number {
  const seen = new WeakMap<Socket, number>();
  return (socket) => {
    const total = socket.bytesRead;
    const bytes = total - (seen.get(socket) ?? 0);
    seen.set(socket, total);
    return Math.max(0, bytes);
  };
}
