import { finishOidc, startOidc } from "@attune/contracts/rest/identity.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { bindRoute, type Operation, type RequestContext, type RouteBinding } from "../../../http/route-binding.ts";
import { toAppError } from "../../../http/to-problem.ts";
import type { Database, Transaction } from "../../../infra/db/create-database.ts";
import type { OidcIdentity, OidcProvider } from "../../../infra/oidc/oidc-provider.ts";
import { writeSessionCookie } from "../session-cookie.ts";
import { startSession } from "../sessions.ts";
import { makeBrowserKey, readBrowserCookie, writeBrowserCookie } from "./browser-cookie.ts";
import { findOidcUser } from "./find-oidc-user.ts";
import { keepRequest, takeRequest } from "./oidc-requests.ts";

export interface OidcPorts {
  readonly database: Database;
  readonly appendOperation: (tx: Transaction, operation: Operation) => Promise<void>;
  readonly sessionLifeMs: number;
  readonly isSecure: boolean;
  /** Absent where none is set up. */
  readonly provider: OidcProvider | undefined;
}

/** Where the browser goes next. */
interface Way {
  readonly headers: Readonly<Record<string, string>> & { readonly location: string };
}

type Context = RequestContext<typeof startOidc> | RequestContext<typeof finishOidc>;

/**
 * The browser is sent here and there, so that both operations answer with a way to go: a failure leads to the sign-in page,
 * which tells its reason and the request id. No address that came with a request is ever gone to.
 */
export function bindOidcRoutes(ports: OidcPorts): RouteBinding[] {
  return [
    bindRoute(startOidc, (context) => orSignInPage(context, () => start(ports, context)), "own"),
    bindRoute(finishOidc, (context) => orSignInPage(context, () => finish(ports, context)), "own"),
  ];
}

async function start({ database, provider, isSecure }: OidcPorts, { headers }: Context): Promise<Way> {
  if (provider === undefined) throw new AppError("OIDC_NOT_CONFIGURED");
  const checks = await provider.makeChecks();
  const location = await provider.authorizationUrl(checks);
  // A second tab must not end the sign-in of the first one.
  const browserKey = readBrowserCookie(headers.cookie) ?? makeBrowserKey();
  await keepRequest(database.queries, checks, browserKey);
  return { headers: { location: location.href, "set-cookie": writeBrowserCookie(browserKey, isSecure) } };
}

async function finish(ports: OidcPorts, context: RequestContext<typeof finishOidc>): Promise<Way> {
  const { database, provider } = ports;
  if (provider === undefined) throw new AppError("OIDC_NOT_CONFIGURED");
  const answer = toParameters(context.query);
  const checks = await takeRequest(
    database.queries,
    answer.get("state") ?? "",
    readBrowserCookie(context.headers.cookie),
  );
  const identity = await provider.identify(answer, checks);
  try {
    const token = await signInAs(ports, context, identity);
    return { headers: { location: "/", "set-cookie": writeSessionCookie(token, ports.sessionLifeMs, ports.isSecure) } };
  } catch (error) {
    await recordRefusal(ports, context, { identity, error: toAppError(error) });
    throw error;
  }
}

function signInAs(ports: OidcPorts, context: Context, identity: OidcIdentity): Promise<string> {
  return ports.database.transaction(async (tx) => {
    const user = await findOidcUser(tx, identity);
    const session = await startSession(tx, { userId: user.id, ip: context.ip, lifeMs: ports.sessionLifeMs });
    const operation = context.operation({ resourceKind: "user", resourceId: user.id });
    await ports.appendOperation(tx, { ...operation, userId: user.id, actor: user.email, credentialId: session.id });
    return session.token;
  });
}

interface Refusal {
  readonly identity: OidcIdentity;
  readonly error: AppError;
}

async function recordRefusal(ports: OidcPorts, context: Context, { identity, error }: Refusal): Promise<void> {
  if (error.reason !== "OIDC_USER_REFUSED") return;
  const actor = identity.verifiedEmail ?? identity.subject;
  const operation = context.operation({ resourceKind: "user", resourceId: "" });
  const refused = { ...operation, outcome: "refused" as const, reason: error.reason, actor };
  await ports.database.transaction((tx) => ports.appendOperation(tx, refused));
}

// Parameters that come twice are what no provider sends.
function toParameters(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const given = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return new URLSearchParams(given);
}

async function orSignInPage(context: Context, work: () => Promise<Way>): Promise<Way> {
  try {
    return await work();
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.reason === "OIDC_NOT_CONFIGURED") throw error;
    context.logger.warn({ reason: error.reason, ...describe(error.cause) }, "a sign-in through the provider failed");
    const told = new URLSearchParams({ problem: error.reason, request_id: context.requestId });
    return { headers: { location: `/?${told.toString()}` } };
  }
}

/** What the operator needs, without the code, the tokens and the parameters that errors of the library carry along. */
function describe(cause: unknown): Readonly<Record<string, unknown>> {
  if (!(cause instanceof Error)) return {};
  const { code, error, error_description: description } = cause as unknown as Record<string, unknown>;
  const below = cause.cause instanceof Error ? cause.cause.message : undefined;
  return { message: cause.message, code, providerError: error, providerDescription: description, below };
}
