import {
  changePassword,
  getSession,
  getSignInOptions,
  resumeSession,
  signIn,
  signOut,
} from "@attune/contracts/rest/identity.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { eq } from "drizzle-orm";
import { bindRoute, type Operation, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Database, Transaction } from "../../infra/db/create-database.ts";
import { forgiveAttempts, takeAttempt } from "./attempts.ts";
import { hashPassword, isPassword, requireStrong } from "./passwords.ts";
import { readSessionCookie, writeSessionCookie } from "./session-cookie.ts";
import { describeUser, endOtherSessions, endSession, findSession, startSession } from "./sessions.ts";
import { users } from "./tables.ts";

export interface SessionPorts {
  readonly database: Database;
  readonly appendOperation: (tx: Transaction, operation: Operation) => Promise<void>;
  readonly sessionLifeMs: number;
  /** Whether browsers reach the platform over TLS; then the cookie travels over TLS only. */
  readonly isSecure: boolean;
  /** The name of the identity provider, where one is set up. */
  readonly oidcName: string | undefined;
}

export function bindSessionRoutes(ports: SessionPorts): RouteBinding[] {
  return [
    bindRoute(getSignInOptions, async () => ({
      body: { password: true, oidc: ports.oidcName === undefined ? null : { name: ports.oidcName } },
    })),
    bindRoute(signIn, (context) => signInWithPassword(ports, context), "own"),
    bindRoute(
      resumeSession,
      async ({ queries, headers }) => {
        const token = readSessionCookie(headers.cookie);
        if (token === undefined) throw new AppError("SIGN_IN_REQUIRED");
        return { body: await describeSession(queries, await findSession(queries, token)) };
      },
      "none",
    ),
    bindRoute(getSession, async ({ queries, principal }) => {
      const described = await describeUser(queries, principal.userId);
      return { body: { ...described, tenant_id: principal.tenant?.id ?? null, expires_at: null } };
    }),
    bindRoute(signOut, async ({ queries, principal, concerns }) => {
      if (principal.credential.kind === "session") await endSession(queries, principal.credential.id);
      concerns({ resourceKind: "user", resourceId: principal.userId });
      return { headers: { "set-cookie": writeSessionCookie("", 0, ports.isSecure) } };
    }),
    bindRoute(changePassword, (context) => changeOwnPassword(ports, context), "own"),
  ];
}

async function describeSession(
  queries: Parameters<typeof describeUser>[0],
  session: { readonly userId: string; readonly token: string; readonly expiresAt: Date },
) {
  const described = await describeUser(queries, session.userId);
  const { token, expiresAt } = session;
  return { ...described, tenant_id: described.tenants[0]?.id ?? null, expires_at: expiresAt.toISOString(), token };
}

// The failed attempt must be counted and told although the sign-in is refused, so that it makes its own transactions.
async function signInWithPassword(ports: SessionPorts, context: RequestContext<typeof signIn>) {
  const { database, sessionLifeMs, isSecure } = ports;
  const { email, password } = context.body;
  const { queries } = database;
  await takeAttempt(queries, email, context.ip);
  const [user] = await queries.select().from(users).where(eq(users.email, email));
  const isRight = await isPassword(user?.passwordHash, password);
  if (user === undefined || !isRight || user.isDisabled) {
    await recordFailure(ports, context, user?.id);
    throw new AppError("SIGN_IN_FAILED");
  }
  const body = await database.transaction(async (tx) => {
    await forgiveAttempts(tx, email, context.ip);
    const session = await startSession(tx, { userId: user.id, ip: context.ip, lifeMs: sessionLifeMs });
    const operation = context.operation({ resourceKind: "user", resourceId: user.id });
    await ports.appendOperation(tx, { ...operation, userId: user.id, actor: email, credentialId: session.id });
    return describeSession(tx, { ...session, userId: user.id });
  });
  return { body, headers: { "set-cookie": writeSessionCookie(body.token, sessionLifeMs, isSecure) } };
}

async function recordFailure(
  { database, appendOperation }: SessionPorts,
  context: RequestContext<typeof signIn>,
  userId: string | undefined,
): Promise<void> {
  const operation = context.operation({ resourceKind: "user", resourceId: userId ?? "" });
  const refused = { ...operation, outcome: "refused" as const, reason: "SIGN_IN_FAILED", actor: context.body.email };
  await database.transaction((tx) => appendOperation(tx, refused));
}

// A wrong password must be counted although the change is refused, as at the sign-in: a session that somebody else got hold of
// must not become a password.
async function changeOwnPassword(ports: SessionPorts, context: RequestContext<typeof changePassword>) {
  const { principal, body, ip } = context;
  const { userId, email, credential } = principal;
  const { queries } = ports.database;
  if (credential.kind !== "session") {
    throw new AppError("PERMISSION_DENIED", { detail: "A password is changed when signed in, not with an API token." });
  }
  await takeAttempt(queries, email, ip);
  const [user] = await queries.select().from(users).where(eq(users.id, userId));
  if (!(await isPassword(user?.passwordHash, body.current_password))) throw new AppError("SIGN_IN_FAILED");
  await forgiveAttempts(queries, email, ip);
  if (body.new_password === body.current_password) throw new AppError("PASSWORD_TOO_WEAK");
  requireStrong(body.new_password, email);
  const passwordHash = await hashPassword(body.new_password);
  await ports.database.transaction(async (tx) => {
    const [present] = await tx.select().from(users).where(eq(users.id, userId)).for("update");
    // It was replaced or reset meanwhile.
    if (present === undefined || present.passwordHash !== user?.passwordHash) throw new AppError("SIGN_IN_FAILED");
    await tx.update(users).set({ passwordHash, mustChangePassword: false }).where(eq(users.id, userId));
    await endOtherSessions(tx, userId, credential.id);
    await ports.appendOperation(tx, context.operation({ resourceKind: "user", resourceId: userId }));
  });
  return {};
}
