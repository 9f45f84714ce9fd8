import { Readable } from "node:stream";
import { isSchema } from "@attune/contracts/rest/define-route.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { toProblem } from "@attune/service-kit/http/to-problem.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { cutStalled } from "./cut-stalled.ts";
import type { NodeBinding, NodeContext, NodeReply, NodeRoute, ServerEvent } from "./node-route.ts";
import { isOpenaiPath, toOpenaiError } from "./openai-errors.ts";
import { readRequest } from "./read-request.ts";
import { streamEvents } from "./stream-events.ts";

export interface RoutePorts {
  readonly logger: Logger;
  /** Told the reason of what broke off a stream that had begun. */
  readonly countProblem?: ((reason: string) => void) | undefined;
  /** @throws AppError NODE_TOKEN_REQUIRED */
  readonly authenticate: (authorization: string | undefined) => void;
  /** Aborted when the server stops: streams end then. */
  readonly stopping: AbortSignal;
  readonly heartbeatMs: number;
  /** How long a reader of events may take nothing before it is cut off, in milliseconds. */
  readonly stallMs: number;
}

/** Registers one operation: token, form of the request, and form of the answer. */
export function registerRoute(server: FastifyInstance, binding: NodeBinding, ports: RoutePorts): void {
  const { route } = binding;
  server.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ":$1"),
    exposeHeadRoute: false,
    config: { operation: route.id },
    ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
    // The token comes before the form, so that a stranger learns nothing about it.
    onRequest: async ({ headers }) => {
      if (route.access === "token") ports.authenticate(headers.authorization);
    },
    handler: async (request, reply) => {
      const gone = new AbortController();
      reply.raw.on("close", () => gone.abort());
      const context = contextOf(route, request, { ports, signal: gone.signal });
      const answer = await binding.handle(context).catch((thrown: unknown) => {
        throw gone.signal.aborted ? toCancelled(thrown) : thrown;
      });
      return sendReply(reply, binding, { answer, ports, gone: gone.signal });
    },
  });
}

/** What breaks because the caller went away is no failure of ours. */
const toCancelled = (thrown: unknown): unknown =>
  thrown instanceof AppError ? thrown : new AppError("CALL_CANCELLED", {}, thrown);

interface Surroundings {
  readonly ports: RoutePorts;
  readonly signal: AbortSignal;
}

function contextOf(route: NodeRoute, request: FastifyRequest, { ports, signal }: Surroundings): NodeContext {
  const { params, query, body } = readRequest(route, request);
  return {
    params: params as never,
    query: query as never,
    body: body as never,
    headers: request.headers,
    ip: request.ip,
    requestId: request.id,
    logger: ports.logger.child({ requestId: request.id }),
    signal: hasEvents(route) ? AbortSignal.any([signal, ports.stopping]) : signal,
  };
}

const hasEvents = ({ responses }: NodeRoute): boolean =>
  Object.values(responses).some((form) => form !== null && !isSchema(form) && form.mediaType === eventStream);

const eventStream = "text/event-stream";

interface Answer {
  readonly answer: NodeReply;
  readonly ports: RoutePorts;
  readonly gone: AbortSignal;
}

/** @throws AppError INTERNAL when the answer does not have the form that the route gives. */
function sendReply(reply: FastifyReply, { route }: NodeBinding, { answer, ports, gone }: Answer): FastifyReply {
  const status = answer.status ?? Number(Object.keys(route.responses)[0]);
  const form = route.responses[status];
  if (form === undefined) throw new AppError("INTERNAL", {}, new Error(`No response with status ${status}.`));
  void reply.code(status).headers({ ...answer.headers });
  if (answer.events !== undefined) return sendEvents(reply, { answer, ports, gone });
  if (form === null) return reply.send();
  if (!isSchema(form)) return reply.type(form.mediaType).send(answer.body);
  const checked = form.safeParse(answer.body);
  if (!checked.success) throw new AppError("INTERNAL", {}, checked.error);
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(checked.data));
}

function sendEvents(reply: FastifyReply, { answer, ports, gone }: Answer): FastifyReply {
  const body: Readable = streamEvents(answer.events ?? Readable.from([]), {
    heartbeatMs: ports.heartbeatMs,
    renderFailure: (error) => tellFailure(error, reply, ports),
    gone,
    stopping: ports.stopping,
  });
  cutStalled(reply.raw, ports.stallMs);
  return reply.type(`${eventStream}; charset=utf-8`).header("x-accel-buffering", "no").send(body);
}

function tellFailure(error: unknown, { request }: FastifyReply, { logger, countProblem }: RoutePorts): ServerEvent {
  const requestId = request.id;
  logger.warn({ requestId, error }, "a stream of events ended with a failure");
  const { problem } = toProblem(error, requestId);
  countProblem?.(problem.reason);
  return isOpenaiPath(request.routeOptions.url ?? "")
    ? { data: toOpenaiError(problem) }
    : { event: "problem", data: problem };
}
