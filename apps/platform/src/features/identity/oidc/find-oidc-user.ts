import { emailSchema } from "@attune/contracts/rest/identity.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, eq } from "drizzle-orm";
import type { Queries, Transaction } from "../../../infra/db/create-database.ts";
import type { OidcIdentity } from "../../../infra/oidc/oidc-provider.ts";
import { endOtherSessions } from "../sessions.ts";
import { userIdentities, users } from "../tables.ts";

type User = typeof users.$inferSelect;

/**
 * The user of an identity: who it belongs to, else the user with its confirmed e-mail address, to whom it belongs from then
 * on. Nobody is made a user here: administrators add users, with a tenant and a role.
 * @throws AppError OIDC_USER_REFUSED
 */
export async function findOidcUser(tx: Transaction, identity: OidcIdentity): Promise<User> {
  const user = (await findOwner(tx, identity)) ?? (await giveToUserOfEmail(tx, identity));
  if (user === undefined || user.isDisabled) throw new AppError("OIDC_USER_REFUSED");
  return user.mustChangePassword ? dropOneTimePassword(tx, user) : user;
}

async function findOwner(tx: Transaction, { issuer, subject }: OidcIdentity): Promise<User | undefined> {
  const [found] = await tx
    .select({ user: users })
    .from(userIdentities)
    .innerJoin(users, eq(users.id, userIdentities.userId))
    .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject)));
  return found?.user;
}

// Addresses are given to other people. Whoever has an identity at this provider keeps it, and nobody gets in beside them.
async function giveToUserOfEmail(tx: Transaction, identity: OidcIdentity): Promise<User | undefined> {
  const { issuer, subject, verifiedEmail } = identity;
  const email = emailSchema.safeParse(verifiedEmail);
  if (!email.success) return undefined;
  const [user] = await tx.select().from(users).where(eq(users.email, email.data)).for("update");
  if (user === undefined || user.isDisabled) return undefined;
  await tx
    .insert(userIdentities)
    .values({ issuer, subject, userId: user.id, createdAt: new Date() })
    .onConflictDoNothing();
  // Of two first sign-ins at once the second finds what the first gave.
  return findOwner(tx, identity);
}

/** A password that an administrator handed out ends, with what was begun with it: from now on somebody else knows it. */
async function dropOneTimePassword(tx: Transaction, user: User): Promise<User> {
  const changed = { passwordHash: null, mustChangePassword: false };
  await tx.update(users).set(changed).where(eq(users.id, user.id));
  await endOtherSessions(tx, user.id);
  return { ...user, ...changed };
}

/** Takes a user's identities away, so that the next sign-in gives one anew by the e-mail address. */
export async function unlinkIdentities(queries: Queries, email: string): Promise<number> {
  const [user] = await queries.select({ id: users.id }).from(users).where(eq(users.email, email.toLowerCase()));
  if (user === undefined) return 0;
  return (await queries.delete(userIdentities).where(eq(userIdentities.userId, user.id)).returning()).length;
}
