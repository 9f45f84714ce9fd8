import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { createHttpServer } from "@attune/service-kit/http/create-http-server.ts";
import { limitBodyTime } from "@attune/service-kit/http/limit-body-time.ts";
import { toProblem } from "@attune/service-kit/http/to-problem.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type { FastifyInstance } from "fastify";
import { createAuthenticator } from "./authenticate.ts";
import type { NodeBinding } from "./node-route.ts";
import { isOpenaiPath, toOpenaiRefusal } from "./openai-errors.ts";
import { renderNodeOpenapi } from "./openapi.ts";
import { refuseBrowsers } from "./refuse-browsers.ts";
import { registerRoute } from "./register-route.ts";

export interface ServerSettings {
  /** What callers must send; undefined lets everybody in who reaches the node. */
  readonly token: Secret | undefined;
  /** Largest JSON body, in bytes; 1 MiB unless given. */
  readonly maxBodyBytes?: number;
  /** Time for requests under way to end when the server is closed, in milliseconds; none unless given. */
  readonly drainTimeoutMs?: number;
  /** How often a stream of events without events says that it lives, in milliseconds; 15 seconds unless given. */
  readonly heartbeatMs?: number;
  /** How long a reader may take nothing before it is cut off, in milliseconds; one minute unless given. */
  readonly stallMs?: number;
}

/** One request that was answered. */
export interface RequestObservation {
  /** Pattern of its route, never the path itself. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface ServerPorts {
  readonly settings: ServerSettings;
  readonly logger: Logger;
  /** What requests are counted in; nothing is without. Streams of events are left out: their duration means nothing. */
  readonly observeRequest?: (observation: RequestObservation) => void;
  /** Told the reason of every refusal and failure. */
  readonly countProblem?: (reason: string) => void;
}

/** The HTTP server of the node with these operations; it does not listen yet. */
export async function createServer(bindings: readonly NodeBinding[], ports: ServerPorts): Promise<FastifyInstance> {
  const { settings, logger, countProblem } = ports;
  const { heartbeatMs = 15_000, stallMs = 60_000 } = settings;
  const stopping = new AbortController();
  const server = createHttpServer({
    logger,
    maxBodyBytes: settings.maxBodyBytes ?? 2 ** 20,
    drainTimeoutMs: settings.drainTimeoutMs ?? 0,
    // Streams of events end at once, other requests are waited for.
    onStop: () => stopping.abort(),
    headers: fixedHeaders,
    realm: "attune-node",
    notFound: "NODE_ROUTE_NOT_FOUND",
    renderRefusal: ({ problem }, { routeOptions, url }) =>
      isOpenaiPath(routeOptions.url ?? url) ? toOpenaiRefusal(problem) : undefined,
  });
  addChecks(server, ports, stopping.signal);
  addObservers(server, ports);
  limitBodyTime(server);
  const document = JSON.stringify(renderNodeOpenapi(bindings.map(({ route }) => route)));
  server.get("/openapi.json", async (_, reply) => reply.type("application/json; charset=utf-8").send(document));
  const authenticate = createAuthenticator(settings.token);
  for (const binding of bindings) {
    registerRoute(server, binding, {
      logger,
      countProblem,
      authenticate,
      stopping: stopping.signal,
      heartbeatMs,
      stallMs,
    });
  }
  return server;
}

// Nothing of the node is a page.
const fixedHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
} as const;

/** Who comes while the agent stops is told so. */
function addChecks(server: FastifyInstance, { settings }: ServerPorts, stopping: AbortSignal): void {
  server.addHook("onRequest", async ({ headers }) => {
    refuseBrowsers(headers, settings.token !== undefined);
    if (stopping.aborted) throw new AppError("SHUTTING_DOWN", { retryAfterMs: 1000 });
  });
}

function addObservers(server: FastifyInstance, { observeRequest, countProblem }: ServerPorts): void {
  server.addHook("onResponse", async ({ method, routeOptions }, reply) => {
    if (String(reply.getHeader("content-type")).startsWith("text/event-stream")) return;
    const { statusCode: status, elapsedTime: durationMs } = reply;
    observeRequest?.({ route: routeOptions.url ?? "unmatched", method, status, durationMs });
  });
  server.addHook("onError", async (request, _, error) => {
    countProblem?.(toProblem(error, request.id).problem.reason);
  });
}
