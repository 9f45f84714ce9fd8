import helmet from "@fastify/helmet";
import fastifyStatic from "@fastify/static";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { PlatformMetrics } from "../infra/metrics/create-metrics.ts";
import type { FastifyInstance, FastifyReply } from "fastify";
import { createHttpServer } from "@attune/service-kit/http/create-http-server.ts";
import { addHealth } from "./add-health.ts";
import { limitBodyTime } from "@attune/service-kit/http/limit-body-time.ts";
import { meterRequests } from "./meter-requests.ts";
import { renderOpenapi } from "./openapi.ts";
import type { Principal } from "./principal.ts";
import { createRateLimit, type RateSettings } from "./rate-limit.ts";
import { registerRoute, type RoutePorts } from "./register-route.ts";
import type { RouteBinding } from "./route-binding.ts";
import { toProblem } from "./to-problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
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
  const { settings, logger } = ports;
  const server = createHttpServer({
    logger,
    maxBodyBytes: settings.maxBodyBytes,
    drainTimeoutMs: settings.drainTimeoutMs ?? 0,
    headers: { "cache-control": "no-store" },
    realm: "attune",
    notFound: "ROUTE_NOT_FOUND",
    toProblem,
    describeCaller: ({ principal }) => ({ userId: principal?.userId, tenantId: principal?.tenant?.id }),
    // What stands before the proxy's own entry in X-Forwarded-For was written by the caller.
    trustProxy: settings.isBehindProxy && ((_address: string, hop: number) => hop === 0),
  });
  server.decorateRequest("principal", undefined);
  if (ports.metrics !== undefined) meterRequests(server, ports.metrics, uploadsOf(bindings));
  await server.register(helmet, { contentSecurityPolicy: { directives: contentSecurity } });
  server.addHook("onRequest", async () => {
    if (ports.isStopping()) throw new AppError("SHUTTING_DOWN", { retryAfterMs: 1000 });
  });
  // One address may stand for many users, so that it may do more than any one of them.
  const takeOfAddress = createRateLimit({
    perSecond: settings.rate.perSecond * 4,
    burst: settings.rate.burst * 4,
  });
  server.addHook("onRequest", async (request) => takeOfAddress(request.ip));
  addHealth(server, ports.database);
  await addRoutes(server, bindings, ports);
  if (settings.webFolder !== undefined) await addWebApp(server, settings.webFolder);
  return server;
}

const uploadsOf = (bindings: readonly RouteBinding[]): ReadonlySet<string> =>
  new Set(bindings.flatMap(({ contract }) => (contract.upload === undefined ? [] : [contract.id])));

const contentSecurity = {
  defaultSrc: ["'self'"],
  imgSrc: ["'self'", "data:", "blob:"],
  // Ant Design writes its styles while the page runs.
  styleSrc: ["'self'", "'unsafe-inline'"],
  frameAncestors: ["'none'"],
  // Over plain HTTP on a private network the page must stay as it is.
  upgradeInsecureRequests: null,
};

async function addRoutes(server: FastifyInstance, bindings: readonly RouteBinding[], ports: RoutePorts): Promise<void> {
  const document = JSON.stringify(renderOpenapi(bindings.map(({ contract }) => contract)));
  server.get("/api/v1/openapi.json", async (_, reply) => reply.type("application/json; charset=utf-8").send(document));
  await server.register(async (scope) => {
    limitBodyTime(scope);
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
