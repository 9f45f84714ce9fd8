import { randomUUID } from "node:crypto";
import fastify, {
  type FastifyBodyParser,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from "fastify";
import { AppError, type Reason } from "../app-error.ts";
import type { Logger } from "../create-logger.ts";
import { answerUnreadable } from "./answer-unreadable.ts";
import { type ToldProblem, toProblem } from "./to-problem.ts";
import { trackRequests } from "./track-requests.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The id of the operation, as it is documented. */
    operation?: string;
  }
}

export interface HttpServerOptions {
  readonly logger: Logger;
  /** Largest JSON body in bytes, where a route has no limit of its own. */
  readonly maxBodyBytes: number;
  /** Time for requests under way to end when the server is closed, in milliseconds. */
  readonly drainTimeoutMs: number;
  /** Called when the server begins to close, before requests under way are waited for; streams of events, too, then, which it ends. */
  readonly onStop?: () => void;
  /** Sent with every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whose token is asked for with status 401. */
  readonly realm: string;
  /** What is told where there is no such operation. */
  readonly notFound: Reason;
  readonly toProblem?: (thrown: unknown, requestId: string) => ToldProblem;
  /** Another form than a problem (RFC 9457) for what some requests are refused with; the problem's own where undefined. */
  readonly renderRefusal?: (told: ToldProblem, request: FastifyRequest) => RenderedRefusal | undefined;
  /** What the log says of a request beside its id, operation, method, status and duration. */
  readonly describeCaller?: (request: FastifyRequest) => Readonly<Record<string, unknown>>;
  readonly trustProxy?: NonNullable<FastifyServerOptions["trustProxy"]>;
}

export interface RenderedRefusal {
  readonly status: number;
  readonly mediaType: string;
  readonly body: unknown;
}

/**
 * The HTTP server of a service, without operations: ids of requests, one log line for each, one form of refusals whatever
 * refuses, and an end that waits for what is under way.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { trustProxy } = options;
  const server = fastify({
    logger: false,
    bodyLimit: options.maxBodyBytes,
    ...(trustProxy !== undefined && { trustProxy }),
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"]),
    // Requests under way have been waited for by then.
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    // A path that cannot be decoded comes to no route and no hook.
    frameworkErrors: (error, request, reply) => void refuse(error, { request, reply, options }),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
  });
  server.removeContentTypeParser(["text/plain", "application/json"]);
  server.addContentTypeParser("application/json", { parseAs: "string" }, createJsonParser(server));
  drainOnClose(server, options);
  server.addHook("onRequest", async (request, reply) => {
    void reply.headers({ ...options.headers, "x-request-id": request.id });
  });
  addLog(server, options);
  server.setErrorHandler(async (thrown, request, reply) => refuse(thrown, { request, reply, options }));
  server.setNotFoundHandler(() => {
    throw new AppError(options.notFound);
  });
  return server;
}

/** Many clients send the header of JSON with every request, also with those that have no body. */
function createJsonParser(server: FastifyInstance): FastifyBodyParser<string> {
  const parse = server.getDefaultJsonParser("error", "error");
  return (request, body, done) => (body === "" ? done(null, undefined) : void parse(request, body, done));
}

const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === "string" && /^[\w.-]{8,80}$/.test(given) ? given : randomUUID();

/** Whoever comes while it waits is heard; it still listens. */
function drainOnClose(server: FastifyInstance, { drainTimeoutMs, onStop, logger }: HttpServerOptions): void {
  const requests = trackRequests(server, { countsStreams: onStop !== undefined });
  server.addHook("preClose", async () => {
    onStop?.();
    const cut = await requests.drain(drainTimeoutMs);
    if (cut > 0) logger.warn({ cut }, "requests did not end in time and are cut off");
  });
}

function addLog(server: FastifyInstance, { logger, describeCaller }: HttpServerOptions): void {
  server.addHook("onResponse", async (request, reply) => {
    const { id: requestId, method, routeOptions } = request;
    const { statusCode: status, elapsedTime } = reply;
    const durationMs = Math.round(elapsedTime);
    const operation = routeOptions.config.operation;
    logger.info({ requestId, operation, method, status, durationMs, ...describeCaller?.(request) }, "request");
  });
}

interface Refused {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly options: HttpServerOptions;
}

function refuse(thrown: unknown, { request, reply, options }: Refused): FastifyReply {
  const { logger, realm, headers, renderRefusal } = options;
  const told = (options.toProblem ?? toProblem)(thrown, request.id);
  const { problem, error, isOurs } = told;
  if (isOurs) {
    logger.error({ requestId: request.id, reason: error.reason, error: error.cause ?? error }, "a request failed");
  }
  const { retryAfterMs } = error.details;
  if (retryAfterMs !== undefined) void reply.header("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  const { status, mediaType, body } = renderRefusal?.(told, request) ?? {
    status: problem.status,
    mediaType: "application/problem+json",
    body: problem,
  };
  void reply.headers({ ...headers, "x-request-id": request.id });
  if (status === 401) void reply.header("www-authenticate", `Bearer realm="${realm}"`);
  return reply.code(status).type(`${mediaType}; charset=utf-8`).send(JSON.stringify(body));
}
