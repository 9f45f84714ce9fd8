import { randomUUID } from "node:crypto";
import helmet from "@fastify/helmet";
import fastifyStatic from "@fastify/static";
import type { Problem } from "@attune/contracts/rest/schemas.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { PlatformMetrics } from "../infra/metrics/create-metrics.ts";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { answerUnreadable } from "@attune/service-kit/http/answer-unreadable.ts";
import { addHealth } from "./add-health.ts";
import { limitBodyTime } from "@attune/service-kit/http/limit-body-time.ts";
import { meterRequests } from "./meter-requests.ts";
import { renderOpenapi } from "./openapi.ts";
import type { Principal } from "./principal.ts";
import { createRateLimit, type RateSettings } from "./rate-limit.ts";
import { registerRoute, type RoutePorts } from "./register-route.ts";
import type { RouteBinding } from "./route-binding.ts";
import { toProblem } from "./to-problem.ts";
import { trackRequests } from "@attune/service-kit/http/track-requests.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
  }
  interface FastifyContextConfig {
    operation?: string;
  }
}

export interface ServerSettings {
  /** Largest JSON body. */
  readonly maxBodyBytes: number;
  /** Whether X-Forwarded-For and -Proto of the proxy before it are believed. */
  readonly isBehindProxy: boolean;
  readonly rate: RateSettings;
  /** Time for requests under way to end when the server is closed; none unless given. */
  readonly drainTimeoutMs?: number;
  /** Where the built web app is; without it only the API is served. */
  readonly webFolder: string | undefined;
}

export interface ServerPorts extends RoutePorts {
  readonly settings: ServerSettings;
  /** What requests are counted in; nothing is without. */
  readonly metrics?: PlatformMetrics;
  readonly isStopping: () => boolean;
}

/** The HTTP server with every operation of the platform; it does not listen yet. */
export async function createServer(bindings: readonly RouteBinding[], ports: ServerPorts): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    bodyLimit: ports.settings.maxBodyBytes,
    // What stands before the proxy's own entry in X-Forwarded-For was written by the caller.
    trustProxy: ports.settings.isBehindProxy && ((_address: string, hop: number) => hop === 0),
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
  server.decorateRequest("principal", undefined);
  drainOnClose(server, ports);
  if (ports.metrics !== undefined) meterRequests(server, ports.metrics, uploadsOf(bindings));
  await server.register(helmet, { contentSecurityPolicy: { directives: contentSecurity } });
  server.addHook("onRequest", async (request, reply) => {
    void reply.header("x-request-id", request.id).header("cache-control", "no-store");
    if (ports.isStopping()) throw new AppError("SHUTTING_DOWN", { retryAfterMs: 1000 });
  });
  // One address may stand for many users, so that it may do more than any one of them.
  const takeOfAddress = createRateLimit({
    perSecond: ports.settings.rate.perSecond * 4,
    burst: ports.settings.rate.burst * 4,
  });
  server.addHook("onRequest", async (request) => takeOfAddress(request.ip));
  addLog(server, ports);
  addProblems(server, ports);
  addHealth(server, ports.database);
  await addRoutes(server, bindings, ports);
  if (ports.settings.webFolder !== undefined) await addWebApp(server, ports.settings.webFolder);
  return server;
}

/** For the largest JSON body over a slow line. */
const bodyTimeMs = 60_000;

const uploadsOf = (bindings: readonly RouteBinding[]): ReadonlySet<string> =>
  new Set(bindings.flatMap(({ contract }) => (contract.upload === undefined ? [] : [contract.id])));

/** Whoever comes while it waits is told that it is stopping; it still listens. */
function drainOnClose(server: FastifyInstance, { settings, logger }: ServerPorts): void {
  const requests = trackRequests(server);
  server.addHook("preClose", async () => {
    const cut = await requests.drain(settings.drainTimeoutMs ?? 0);
    if (cut > 0) logger.warn({ cut }, "requests did not end in time and are cut off; what they had begun is undone");
  });
}

const contentSecurity = {
  defaultSrc: ["'self'"],
  imgSrc: ["'self'", "data:", "blob:"],
  // Ant Design writes its styles while the page runs.
  styleSrc: ["'self'", "'unsafe-inline'"],
  frameAncestors: ["'none'"],
  // Over plain HTTP on a private network the page must stay as it is.
  upgradeInsecureRequests: null,
};

const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[\w.-]{8,80}$/.test(given) ? given : randomUUID();

async function addRoutes(server: FastifyInstance, bindings: readonly RouteBinding[], ports: RoutePorts): Promise<void> {
  const document = JSON.stringify(renderOpenapi(bindings.map(({ contract }) => contract)));
  server.get("/api/v1/openapi.json", async (_, reply) => reply.type("application/json; charset=utf-8").send(document));
  await server.register(async (scope) => {
    limitBodyTime(scope, bodyTimeMs);
    for (const binding of bindings) if (binding.contract.upload === undefined) registerRoute(scope, binding, ports);
  });
  // Uploads are bytes whatever they call themselves, JSON included.
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    for (const binding of bindings) if (binding.contract.upload !== undefined) registerRoute(scope, binding, ports);
  });
}

/** The web app: files whose names carry their hash are kept for ever, and every other path is a page of the app. */
async function addWebApp(server: FastifyInstance, webFolder: string): Promise<void> {
  await server.register(fastifyStatic, {
    root: webFolder,
    wildcard: false,
    cacheControl: false,
    setHeaders: setWebHeaders,
  });
  server.get("/*", async (request, reply) => {
    const [path = ""] = request.url.split("?");
    if (path.startsWith("/api/") || /\.\w+$/.test(path)) throw new AppError("ROUTE_NOT_FOUND");
    return reply.sendFile("index.html");
  });
}

function setWebHeaders(reply: FastifyReply, path: string): void {
  const isHashed = path.includes("/assets/");
  void reply.header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
}

function addProblems(server: FastifyInstance, { logger }: ServerPorts): void {
  server.setErrorHandler(async (thrown, request, reply) => {
    const { problem, error, isOurs } = toProblem(thrown, request.id);
    if (isOurs)
      logger.error({ requestId: request.id, reason: error.reason, error: error.cause ?? error }, "a request failed");
    if (error.details.retryAfterMs !== undefined) {
      void reply.header("retry-after", String(Math.ceil(error.details.retryAfterMs / 1000)));
    }
    return sendProblem(reply, problem);
  });
  server.setNotFoundHandler(() => {
    throw new AppError("ROUTE_NOT_FOUND");
  });
}

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  void reply.header("x-request-id", problem.request_id).header("cache-control", "no-store");
  if (problem.status === 401) void reply.header("www-authenticate", 'Bearer realm="attune"');
  return reply.code(problem.status).type("application/problem+json; charset=utf-8").send(JSON.stringify(problem));
}

function addLog(server: FastifyInstance, { logger }: ServerPorts): void {
  server.addHook("onResponse", async (request, reply) => {
    logger.info(
      {
        requestId: request.id,
        operation: request.routeOptions.config.operation,
        method: request.method,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime),
        userId: userIdOf(request),
        tenantId: request.principal?.tenant?.id,
      },
      "request",
    );
  });
}

const userIdOf = (request: FastifyRequest): string | undefined => request.principal?.userId;
