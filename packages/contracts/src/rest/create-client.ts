import type { BodyInputOf, ParamsOf, QueryInputOf, ResultOf, RouteContract } from "./define-route.ts";
import { type Problem, problemSchema } from "./schemas.ts";

/** A refusal or failure that the platform told, or that kept its answer from coming. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(`${problem.reason}: ${problem.detail} ${problem.remedy}`, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}

export interface ClientOptions {
  /** Where the platform is, without /api/v1; empty in a page that it serves. */
  readonly baseUrl: string;
  readonly token: () => string | undefined;
  /** The tenant that requests are about, where the caller belongs to several. */
  readonly tenantId?: () => string | undefined;
  readonly fetch?: typeof fetch;
}

type Defined<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] };

export type CallInput<R extends RouteContract> = Defined<{
  params: ParamsOf<R>;
  body: BodyInputOf<R>;
}> & {
  readonly query?: QueryInputOf<R>;
  readonly upload?: NonNullable<RequestInit["body"]>;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export interface CallResult<R extends RouteContract> {
  readonly status: number;
  readonly body: ResultOf<R>;
  readonly etag: string | undefined;
  readonly headers: Headers;
}

export interface ApiClient {
  /** Calls an operation. @throws ProblemError for everything but success. */
  call<R extends RouteContract>(route: R, input: CallInput<R>): Promise<CallResult<R>>;
  /** The same for answers that are not JSON: files and events. @throws ProblemError */
  open<R extends RouteContract>(route: R, input: CallInput<R>): Promise<Response>;
}

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly upload?: NonNullable<RequestInit["body"]>;
  readonly ifMatch?: string;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The typed client: the same contracts that the server registers say what goes out and what comes back. */
export function createClient(options: ClientOptions): ApiClient {
  const send = options.fetch ?? ((input: string | URL | Request, init?: RequestInit) => globalThis.fetch(input, init));
  const open = async (route: RouteContract, input: AnyInput): Promise<Response> => {
    const response = await send(options.baseUrl + pathOf(route, input), requestOf(route, input, options)).catch(
      (error: unknown) => {
        if (input.signal?.aborted === true) throw error;
        throw new ProblemError(unreachable, error);
      },
    );
    if (!response.ok) throw new ProblemError(await readProblem(response));
    return response;
  };
  return {
    open: (route, input) => open(route, input as AnyInput),
    call: async (route, input) => {
      const response = await open(route, input as AnyInput);
      const isEmpty = response.status === 204 || route.responses[response.status] === null;
      const body = isEmpty ? undefined : await response.json();
      return {
        status: response.status,
        body: body as never,
        etag: response.headers.get("etag") ?? undefined,
        headers: response.headers,
      };
    },
  };
}

export function pathOf(route: RouteContract, { params = {}, query = {} }: Pick<AnyInput, "params" | "query">): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) search.append(name, String(one));
  }
  return `/api/v1${path}${search.size === 0 ? "" : `?${search.toString()}`}`;
}

function requestOf(route: RouteContract, input: AnyInput, options: ClientOptions): RequestInit {
  const token = options.token();
  const tenantId = options.tenantId?.();
  const hasJson = input.body !== undefined;
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(tenantId !== undefined && { "attune-tenant": tenantId }),
    ...(hasJson && { "content-type": "application/json" }),
    ...(input.ifMatch !== undefined && { "if-match": input.ifMatch }),
    ...(input.idempotencyKey !== undefined && { "idempotency-key": input.idempotencyKey }),
    ...input.headers,
  };
  const body = hasJson ? JSON.stringify(input.body) : input.upload;
  return {
    method: route.method,
    headers,
    ...(body !== undefined && { body }),
    ...(input.upload instanceof ReadableStream && { duplex: "half" }),
    ...(input.signal !== undefined && { signal: input.signal }),
  };
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  const parsed = problemSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  return {
    ...unreachable,
    status: response.status,
    title: response.statusText,
    detail: `The answer has status ${response.status} and is not one of the platform's own.`,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const unreachable: Problem = {
  type: "about:blank",
  title: "Unavailable",
  status: 0,
  detail: "The platform does not answer.",
  code: "unavailable",
  reason: "PLATFORM_UNREACHABLE",
  remedy: "Check the connection, and that the platform runs; then try again.",
  request_id: "",
};
