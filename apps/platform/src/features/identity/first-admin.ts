import { createId } from "@attune/service-kit/create-id.ts";
import { count, eq } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import { tenants, users } from "./tables.ts";
import { addMember, giveOneTimePassword } from "./users.ts";

export interface FirstAdmin {
  readonly email: string;
  readonly password: string;
}

/**
 * On a platform without any user: makes the first tenant and its owner, who is the platform's operator too. Of several nodes
 * that start at once one makes them.
 */
export async function makeFirstAdmin(database: Database, email: string): Promise<FirstAdmin | undefined> {
  return database.transaction(async (tx) => {
    await tx.execute("lock table users in share row exclusive mode");
    const [found] = await tx.select({ users: count() }).from(users);
    if (found?.users !== 0) return undefined;
    const tenantId = createId();
    await tx.insert(tenants).values({ id: tenantId, name: "Default", createdAt: new Date() });
    const { userId, oneTimePassword } = await addMember(tx, tenantId, {
      email,
      displayName: "Administrator",
      role: "owner",
    });
    await tx.update(users).set({ platformRole: "operator" }).where(eq(users.id, userId));
    return { email, password: oneTimePassword ?? (await giveOneTimePassword(tx, userId)) };
  });
}

/** A new password for one sign-in, for who has lost theirs and can start programs on the platform's machine. */
export async function resetPasswordOf(database: Database, email: string): Promise<string | undefined> {
  return database.transaction(async (tx) => {
    const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email.toLowerCase()));
    return user === undefined ? undefined : giveOneTimePassword(tx, user.id);
  });
}
