import type * as z from "zod";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export const actions = ["read", "use", "create", "edit", "manage"] as const;
/** What may be done to a resource; `manage` includes the rest, `edit` includes `use` and `read`, `use` includes `read`. */
export type Action = (typeof actions)[number];

export const resourceKinds = [
  "tenant",
  "user",
  "api_token",
  "operation_log",
  "storage",
  "dataset",
  "model",
  "job",
  "resource_acl",
] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** Who may call an operation at all. What they may do to one record is judged on the record. */
export type Access =
  /** Anybody, without a token. */
  | { readonly kind: "public" }
  /** Anybody who is signed in. */
  | { readonly kind: "signed_in" }
  /** A member of the tenant whose role or grants allow the action on such resources. */
  | { readonly kind: "tenant"; readonly action: Action; readonly resource: ResourceKind }
  /** A holder of a role on the whole platform. An operator may all that an auditor may. */
  | { readonly kind: "platform"; readonly role: "operator" | "auditor" };

/** A body that is not JSON: bytes as they are, or server-sent events. */
export interface RawBody {
  readonly mediaType: string;
  readonly description: string;
  /** Of server-sent events: what stands in their data, as JSON. */
  readonly data?: z.ZodType;
}

export type ResponseBody = z.ZodType | RawBody | null;

/** One REST operation: what is registered, documented, checked and called. */
export interface RouteContract {
  /** Unique, in lower camel case; the `operationId` of OpenAPI and the `action` of the operation log. */
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces, below /api/v1. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Headers that this operation reads beside the usual ones, by name, with what they are for. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  /** A request body that is streamed; then there is no `body`. */
  readonly upload?: RawBody;
  /** Bodies by status of success; the first one is what handlers give unless they say otherwise. `null`: no body. */
  readonly responses: Readonly<Record<number, ResponseBody>>;
  /** Whether `Idempotency-Key` is taken: every POST that creates something. */
  readonly isIdempotent?: boolean;
  /** Whether `If-Match` must come, with the ETag of the version that the edit was made on. */
  readonly needsIfMatch?: boolean;
}

/** Checks the form of a contract and keeps its types. */
export function defineRoute<const TRoute extends RouteContract>(route: TRoute): TRoute {
  return route;
}

type OutputOf<T> = T extends z.ZodType ? z.output<T> : T extends null | undefined ? undefined : unknown;

export type ParamsOf<R> = R extends { readonly params: infer T extends z.ZodType } ? z.output<T> : undefined;
export type QueryOf<R> = R extends { readonly query: infer T extends z.ZodType } ? z.output<T> : undefined;
export type BodyOf<R> = R extends { readonly body: infer T extends z.ZodType } ? z.output<T> : undefined;
export type QueryInputOf<R> = R extends { readonly query: infer T extends z.ZodType } ? z.input<T> : undefined;
export type BodyInputOf<R> = R extends { readonly body: infer T extends z.ZodType } ? z.input<T> : undefined;
/** The body of success; of several statuses, one of theirs. */
export type ResultOf<R extends Pick<RouteContract, "responses">> = OutputOf<R["responses"][keyof R["responses"]]>;

export const isSchema = (body: ResponseBody): body is z.ZodType => body !== null && "safeParse" in body;
