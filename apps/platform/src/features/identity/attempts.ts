import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { AppError } from "@attune/service-kit/app-error.ts";
import { inArray, lt, sql } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { signInAttempts } from "./tables.ts";

const windowMs = 15 * 60_000;
/** By account and address, so that nobody can lock another one out from elsewhere. */
const maxOfAccount = 5;
/** By address, over all accounts. */
const maxOfAddress = 50;

const limitOf = (key: string): number => (key.startsWith("ip:") ? maxOfAddress : maxOfAccount);

function keysOf(email: string, ip: string): string[] {
  const network = networkOf(ip);
  const account = createHash("sha256").update(email).digest("base64url");
  return [`account:${account}:${network}`, `ip:${network}`];
}

// Whoever has one address of IPv6 has 2^64 of them.
function networkOf(ip: string): string {
  if (!isIPv6(ip) || ip.startsWith("::ffff:")) return ip;
  const [head = ""] = ip.split("::");
  return `${head.split(":").slice(0, 4).join(":")}::/64`;
}

/** @throws AppError SIGN_IN_LOCKED with the time to wait. */
export async function requireUnlocked(queries: Queries, email: string, ip: string): Promise<void> {
  const now = Date.now();
  const rows = await queries
    .select()
    .from(signInAttempts)
    .where(inArray(signInAttempts.key, keysOf(email, ip)));
  const waits = rows
    .filter(({ key, failures }) => failures >= limitOf(key))
    .map(({ windowEndsAt }) => windowEndsAt.getTime() - now)
    .filter((waitMs) => waitMs > 0);
  if (waits.length > 0) throw new AppError("SIGN_IN_LOCKED", { retryAfterMs: Math.max(...waits) });
}

/** Counts before the password is looked at, so that many at once gain nothing. */
export async function countAttempt(queries: Queries, email: string, ip: string): Promise<void> {
  const now = new Date();
  const windowEndsAt = new Date(now.getTime() + windowMs);
  for (const key of keysOf(email, ip)) {
    const isOver = sql`${signInAttempts.windowEndsAt} < ${now}`;
    await queries
      .insert(signInAttempts)
      .values({ key, failures: 1, windowEndsAt })
      .onConflictDoUpdate({
        target: signInAttempts.key,
        set: {
          failures: sql`case when ${isOver} then 1 else ${signInAttempts.failures} + 1 end`,
          windowEndsAt: sql`case when ${isOver} then ${windowEndsAt} else ${signInAttempts.windowEndsAt} end`,
        },
      });
  }
}

/** Takes the attempt that succeeded back, and forgets those of the account. */
export async function forgiveAttempts(queries: Queries, email: string, ip: string): Promise<void> {
  const [account = "", address = ""] = keysOf(email, ip);
  await queries.delete(signInAttempts).where(inArray(signInAttempts.key, [account]));
  await queries
    .update(signInAttempts)
    .set({ failures: sql`greatest(${signInAttempts.failures} - 1, 0)` })
    .where(inArray(signInAttempts.key, [address]));
}

export async function sweepAttempts(queries: Queries): Promise<void> {
  await queries.delete(signInAttempts).where(lt(signInAttempts.windowEndsAt, new Date()));
}
