import type { IncomingMessage } from "node:http";
import type { BodyOf, ParamsOf, QueryOf, ResultOf, RouteContract } from "@attune/contracts/rest/define-route.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Readable } from "node:stream";
import type { Queries } from "../infra/db/create-database.ts";
import type { Principal } from "./principal.ts";

/** What an operation was done on, for the operation log; never a secret or text of a document. */
export interface OperationTarget {
  readonly resourceKind: string;
  readonly resourceId: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One line of the operation log, but for its place in the chain. */
export interface Operation extends Partial<OperationTarget> {
  readonly tenantId: string | undefined;
  readonly userId: string | undefined;
  /** The e-mail address of who did it, or the one given by somebody who could not sign in. */
  readonly actor: string;
  readonly credentialId: string | undefined;
  /** Id of the operation in the API. */
  readonly action: string;
  readonly outcome: "succeeded" | "refused" | "failed";
  /** Why it was refused or failed. */
  readonly reason: string | undefined;
  readonly ip: string;
  readonly requestId: string;
}

/** The rights of a request: none for operations that are open to anybody. */
type PrincipalOf<R extends RouteContract> = R["access"] extends { kind: "public" } ? Principal | undefined : Principal;

export interface RequestContext<R extends RouteContract = RouteContract> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly principal: PrincipalOf<R>;
  /** The tenant that the request is about; empty for operations outside tenants. */
  readonly tenantId: string;
  /** The transaction of the request; of an operation that makes its own, or only reads, the pool. */
  readonly queries: Queries;
  /** Content of If-Match. */
  readonly ifMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The streamed body of an upload. */
  readonly upload: Readable | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly ip: string;
  readonly requestId: string;
  readonly logger: Logger;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** Says what the operation is done on. The line is written with the request's transaction. */
  readonly concerns: (target: OperationTarget) => void;
  /** The line that the operation log gets, for operations that make their own transaction. */
  readonly operation: (target: OperationTarget) => Operation;
}

/** What a handler answers. */
export interface Reply<R extends RouteContract = RouteContract> {
  /** The first of the contract unless given. */
  readonly status?: number;
  /** Absent where the contract has none; a stream where it is not JSON. */
  readonly body?: ResultOf<R>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteBinding {
  readonly contract: RouteContract;
  readonly handle: (context: RequestContext) => Promise<Reply>;
  /**
   * `request`: one transaction holds all that the handler does and the line of the operation log. `own`: the handler makes
   * its transactions and writes its lines. `none`: nothing is changed, and success is not logged.
   */
  readonly transaction: "request" | "own" | "none";
}

/** Binds a handler to its contract. Reading operations have no transaction, all others the request's, unless said otherwise. */
export function bindRoute<R extends RouteContract>(
  contract: R,
  handle: (context: RequestContext<R>) => Promise<Reply<R>>,
  transaction: RouteBinding["transaction"] = contract.method === "GET" ? "none" : "request",
): RouteBinding {
  return { contract, handle: handle as unknown as RouteBinding["handle"], transaction };
}
