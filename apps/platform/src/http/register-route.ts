import { Readable } from "node:stream";
import { isSchema } from "@attune/contracts/rest/define-route.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database, Queries, Transaction } from "../infra/db/create-database.ts";
import { isRetryable } from "../infra/db/database-error.ts";
import { runIdempotent } from "./idempotency.ts";
import type { Principal } from "./principal.ts";
import { readRequest, type RequestParts } from "./read-request.ts";
import type { Operation, OperationTarget, Reply, RequestContext, RouteBinding } from "./route-binding.ts";
import { toAppError } from "./to-problem.ts";

/** What the HTTP layer is given by the parts that know users, rights and records. */
export interface RoutePorts {
  readonly database: Database;
  readonly logger: Logger;
  /** Whose token a request carries. @throws AppError SIGN_IN_REQUIRED for a token that is not valid. */
  readonly authenticate: (request: FastifyRequest) => Promise<Principal | undefined>;
  /** @throws AppError when the principal may not call the operation at all. */
  readonly authorise: (principal: Principal | undefined, binding: RouteBinding) => void;
  /** Takes one request of a user. @throws AppError RATE_LIMITED */
  readonly takeOfUser: (userId: string) => void;
  readonly appendOperation: (tx: Transaction, operation: Operation) => Promise<void>;
}

interface Call extends RequestParts {
  readonly binding: RouteBinding;
  readonly request: FastifyRequest;
  readonly principal: Principal | undefined;
  readonly signal: AbortSignal;
}

/** Registers one operation: form, rights, transaction, idempotency, operation log and the form of the answer. */
export function registerRoute(server: FastifyInstance, binding: RouteBinding, ports: RoutePorts): void {
  const { contract } = binding;
  server.route({
    method: contract.method,
    url: `/api/v1${contract.path.replace(/\{(\w+)\}/g, ":$1")}`,
    config: { operation: contract.id },
    // Rights come before the form, so that a stranger learns nothing about either.
    onRequest: async (request) => {
      if (contract.access.kind !== "public") request.principal = await ports.authenticate(request);
      if (request.principal !== undefined) ports.takeOfUser(request.principal.userId);
      try {
        ports.authorise(request.principal, binding);
      } catch (error) {
        await recordRefusal(ports, { binding, request, principal: request.principal }, error);
        throw error;
      }
    },
    handler: async (request, reply) => {
      const controller = new AbortController();
      reply.raw.on("close", () => controller.abort());
      const parts = readRequest(contract, request);
      const call = { ...parts, binding, request, principal: request.principal, signal: controller.signal };
      const answer = await run(ports, call).catch(async (thrown: unknown) => {
        const error = controller.signal.aborted ? toCancelled(thrown) : thrown;
        await recordRefusal(ports, call, error);
        throw error;
      });
      return sendReply(reply, binding, answer);
    },
  });
}

/** What breaks because the caller went away is no failure of ours. */
const toCancelled = (thrown: unknown): unknown =>
  thrown instanceof AppError ? thrown : new AppError("CALL_CANCELLED", {}, thrown);

const maxAttempts = 4;

async function run(ports: RoutePorts, call: Call): Promise<Reply> {
  if (call.binding.transaction !== "request") return handle(ports, call, ports.database.queries);
  for (let attempt = 1; ; attempt++) {
    try {
      return await ports.database.transaction((tx) => runInTransaction(ports, call, tx));
    } catch (error) {
      // It lost against another transaction and left nothing, so that it can simply be run again.
      if (!isRetryable(error) || attempt === maxAttempts) throw error;
    }
  }
}

async function runInTransaction(ports: RoutePorts, call: Call, tx: Transaction): Promise<Reply> {
  const { contract } = call.binding;
  const target: { value?: OperationTarget } = {};
  const work = async (): Promise<Reply & { status: number }> => {
    const reply = await handle(ports, call, tx, (told) => (target.value = told));
    await ports.appendOperation(tx, operationOf(call, "succeeded", target.value));
    return { ...reply, status: reply.status ?? defaultStatusOf(call.binding) };
  };
  const key = contract.isIdempotent === true ? call.request.headers["idempotency-key"] : undefined;
  const userId = call.principal?.userId;
  if (typeof key !== "string" || userId === undefined) return work();
  const content = [contract.id, call.principal?.tenant?.id, call.request.params, call.body ?? null];
  return runIdempotent(tx, { userId, key: checkKey(key), content }, work);
}

function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const message = "must be 1 to 200 visible ASCII characters";
  throw new AppError("REQUEST_INVALID", { violations: [{ pointer: "Idempotency-Key", message }] });
}

// oxlint-disable-next-line max-params -- the last one exists inside a transaction only
function handle(
  { logger }: RoutePorts,
  call: Call,
  queries: Queries,
  concerns: RequestContext["concerns"] = () => undefined,
): Promise<Reply> {
  const { binding, request, principal } = call;
  const key = request.headers["idempotency-key"];
  const context: RequestContext = {
    params: call.params as never,
    query: call.query as never,
    body: call.body as never,
    principal: principal as Principal,
    tenantId: principal?.tenant?.id ?? "",
    queries,
    ifMatch: request.headers["if-match"],
    idempotencyKey: typeof key === "string" ? checkKey(key) : undefined,
    upload: binding.contract.upload === undefined ? undefined : toReadable(request.body),
    headers: request.headers,
    ip: request.ip,
    requestId: request.id,
    logger: logger.child({ requestId: request.id }),
    signal: call.signal,
    concerns,
    operation: (target) => operationOf(call, "succeeded", target),
  };
  return binding.handle(context);
}

const toReadable = (body: unknown): Readable => (body instanceof Readable ? body : Readable.from([]));

type Caller = Pick<Call, "binding" | "request" | "principal">;

function operationOf(call: Caller, outcome: Operation["outcome"], target?: OperationTarget): Operation {
  const { binding, request, principal } = call;
  return {
    tenantId: principal?.tenant?.id,
    userId: principal?.userId,
    actor: principal?.email ?? "",
    credentialId: principal?.credential.id,
    action: binding.contract.id,
    outcome,
    reason: undefined,
    ip: request.ip,
    requestId: request.id,
    ...target,
  };
}

/** Refusals of whoever is signed in are operations too; faults in the form of a request are not, nor are plain look-ups. */
async function recordRefusal(ports: RoutePorts, call: Caller, thrown: unknown): Promise<void> {
  const { reason, entry } = toAppError(thrown);
  const isRight = entry.code === "permission_denied";
  const isChange = call.binding.transaction !== "none" && entry.code !== "invalid_argument";
  if (call.principal === undefined || !(isRight || isChange) || reason === "DATABASE_UNAVAILABLE") return;
  const outcome = entry.code === "internal" || entry.code === "unavailable" ? "failed" : "refused";
  const path = (call.request.params ?? {}) as Record<string, unknown>;
  const operation = { ...operationOf(call, outcome), reason, details: { path } };
  try {
    await ports.database.transaction((tx) => ports.appendOperation(tx, operation));
  } catch (error) {
    ports.logger.error({ error, requestId: call.request.id }, "a refusal could not be written to the operation log");
  }
}

const defaultStatusOf = ({ contract }: RouteBinding): number => Number(Object.keys(contract.responses)[0]);

/** @throws AppError INTERNAL when the answer does not have the form that the contract gives. */
function sendReply(reply: FastifyReply, binding: RouteBinding, answer: Reply): FastifyReply {
  if (reply.raw.headersSent || reply.sent) return reply;
  const status = answer.status ?? defaultStatusOf(binding);
  const form = binding.contract.responses[status];
  void reply.code(status).headers({ ...answer.headers });
  if (form === undefined) throw new AppError("INTERNAL", {}, new Error(`No response with status ${status}.`));
  if (form === null) return reply.send();
  if (!isSchema(form)) return reply.send(answer.body);
  const checked = form.safeParse(answer.body);
  if (!checked.success) throw new AppError("INTERNAL", {}, checked.error);
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(checked.data));
}
