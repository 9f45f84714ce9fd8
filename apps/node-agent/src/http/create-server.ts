import { randomUUID } from "node:crypto";
import type { Problem } from "@attune/contracts/rest/schemas.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { answerUnreadable } from "@attune/service-kit/http/answer-unreadable.ts";
import { limitBodyTime } from "@attune/service-kit/http/limit-body-time.ts";
import { toProblem } from "@attune/service-kit/http/to-problem.ts";
import { trackRequests } from "@attune/service-kit/http/track-requests.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { createAuthenticator } from "./authenticate.ts";
import type { NodeBinding } from "./node-route.ts";
import { renderNodeOpenapi } from "./openapi.ts";
import { refuseBrowsers } from "./refuse-browsers.ts";
import { registerRoute } from "./register-route.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: string;
  }
}

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
  const server = fastify({
    logger: false,
    bodyLimit: ports.settings.maxBodyBytes ?? 2 ** 20,
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"]),
    // Requests under way have been waited for by then.
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    // A path that cannot be decoded comes to no route and no hook.
    frameworkErrors: (error, request, reply) => {
      void sendProblem(reply, toProblem(error, request.id).problem);
    },
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
  });
  server.removeContentTypeParser("text/plain");
  const stopping = stopOnClose(server, ports);
  addChecks(server, ports, stopping);
  addObservers(server, ports);
  addProblems(server, ports);
  limitBodyTime(server, bodyTimeMs);
  const document = JSON.stringify(renderNodeOpenapi(bindings.map(({ route }) => route)));
  server.get("/openapi.json", async (_, reply) => reply.type("application/json; charset=utf-8").send(document));
  const { settings, logger } = ports;
  const { heartbeatMs = 15_000, stallMs = 60_000 } = settings;
  const authenticate = createAuthenticator(settings.token);
  for (const binding of bindings) {
    registerRoute(server, binding, { logger, authenticate, stopping, heartbeatMs, stallMs });
  }
  return server;
}

/** For the largest JSON body over a slow line. */
const bodyTimeMs = 60_000;

const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[\w.-]{8,80}$/.test(given) ? given : randomUUID();

/** Streams of events end at once, other requests are waited for; who comes meanwhile is told that the agent is stopping. */
function stopOnClose(server: FastifyInstance, { settings, logger }: ServerPorts): AbortSignal {
  const stopping = new AbortController();
  const requests = trackRequests(server);
  server.addHook("preClose", async () => {
    stopping.abort();
    const cut = await requests.drain(settings.drainTimeoutMs ?? 0);
    if (cut > 0) logger.warn({ cut }, "requests did not end in time and are cut off");
  });
  return stopping.signal;
}

function addChecks(server: FastifyInstance, { settings }: ServerPorts, stopping: AbortSignal): void {
  server.addHook("onRequest", async (request, reply) => {
    void reply.headers({ ...fixedHeaders, "x-request-id": request.id });
    refuseBrowsers(request.headers, settings.token !== undefined);
    if (stopping.aborted) throw new AppError("SHUTTING_DOWN", { retryAfterMs: 1000 });
  });
}

// Nothing of the node is a page.
const fixedHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
} as const;

function addObservers(server: FastifyInstance, { logger, observeRequest, countProblem }: ServerPorts): void {
  server.addHook("onResponse", async ({ id: requestId, method, routeOptions }, reply) => {
    const { statusCode: status, elapsedTime } = reply;
    const durationMs = Math.round(elapsedTime);
    logger.info({ requestId, operation: routeOptions.config.operation, method, status, durationMs }, "request");
    if (String(reply.getHeader("content-type")).startsWith("text/event-stream")) return;
    observeRequest?.({ route: routeOptions.url ?? "unmatched", method, status, durationMs: elapsedTime });
  });
  server.addHook("onError", async (request, _, error) => {
    countProblem?.(toProblem(error, request.id).problem.reason);
  });
}

function addProblems(server: FastifyInstance, { logger }: ServerPorts): void {
  server.setErrorHandler(async (thrown, request, reply) => {
    const { problem, error, isOurs } = toProblem(thrown, request.id);
    if (isOurs) {
      logger.error({ requestId: request.id, reason: error.reason, error: error.cause ?? error }, "a request failed");
    }
    const { retryAfterMs } = error.details;
    if (retryAfterMs !== undefined) void reply.header("retry-after", String(Math.ceil(retryAfterMs / 1000)));
    return sendProblem(reply, problem);
  });
  server.setNotFoundHandler(() => {
    throw new AppError("NODE_ROUTE_NOT_FOUND");
  });
}

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  void reply.headers({ ...fixedHeaders, "x-request-id": problem.request_id });
  if (problem.status === 401) void reply.header("www-authenticate", 'Bearer realm="attune-node"');
  return reply.code(problem.status).type("application/problem+json; charset=utf-8").send(JSON.stringify(problem));
}
