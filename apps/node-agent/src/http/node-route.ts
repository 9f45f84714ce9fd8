import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { BodyOf, ParamsOf, QueryOf, ResultOf, RouteContract } from "@attune/contracts/rest/define-route.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";

/**
 * One operation of the node: what is registered, documented and checked. Schemas are strict and in snake_case. A response
 * that is a `RawBody` is bytes as they are, or server-sent events when its media type is `text/event-stream`.
 */
export interface NodeRoute extends Pick<
  RouteContract,
  "id" | "method" | "tag" | "summary" | "params" | "query" | "headers" | "body" | "responses"
> {
  /** As specified, without any prefix, with parameters in braces: `/compute/jobs/{job_id}`. */
  readonly path: `/${string}`;
  /** `public`: anybody who reaches the node. `token`: who has the node's token, where it has one. */
  readonly access: "public" | "token";
  /** Largest body in bytes, where the server's own limit is not right. */
  readonly maxBodyBytes?: number;
}

/** Checks the form of a route and keeps its types. */
export function defineNodeRoute<const TRoute extends NodeRoute>(route: TRoute): TRoute {
  return route;
}

export interface NodeContext<R extends NodeRoute = NodeRoute> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly headers: IncomingMessage["headers"];
  readonly ip: string;
  readonly requestId: string;
  readonly logger: Logger;
  /** Aborted when the caller goes away, and when the agent stops while it streams. */
  readonly signal: AbortSignal;
}

/** One frame of server-sent events: `data` as JSON, or `text` as it is. */
export type ServerEvent = {
  readonly event?: string;
  readonly id?: string;
} & ({ readonly data: unknown } | { readonly text: string });

/** What a handler answers. What it throws becomes a problem with the status of its reason. */
export interface NodeReply<R extends NodeRoute = NodeRoute> {
  /** The first of the route unless given. */
  readonly status?: number;
  /** Of a schema its output; of raw bytes a string, bytes or a stream; nothing where the route has no body. */
  readonly body?: ResultOf<R> | Readable | Uint8Array | string;
  /**
   * Server-sent events, of a route that has them, instead of `body`. Comments are sent meanwhile so that the connection is
   * seen to live; nothing is asked for while the reader takes nothing; the iteration is ended when the caller goes away. What
   * it throws is told in a last frame `problem`.
   */
  readonly events?: AsyncIterable<ServerEvent>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NodeBinding {
  readonly route: NodeRoute;
  readonly handle: (context: NodeContext) => Promise<NodeReply>;
}

/** Binds a handler to its route. */
export function bindNodeRoute<R extends NodeRoute>(
  route: R,
  handle: (context: NodeContext<R>) => Promise<NodeReply<R>>,
): NodeBinding {
  return { route, handle: handle as unknown as NodeBinding["handle"] };
}
