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

type Attempts = typeof signInAttempts.$inferSelect;

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

/**
 * Counts an attempt before the password is looked at: of many at once no more than the limit get as far. One that is refused
 * because of attempts before it is not counted, so that whoever tries on locks nobody else at the address out.
 * @throws AppError SIGN_IN_LOCKED with the time to wait.
 */
export async function takeAttempt(queries: Queries, email: string, ip: string): Promise<void> {
  await requireUnlocked(queries, email, ip);
  const counted = await countAttempt(queries, email, ip);
  refuseLocked(counted.filter(({ key, failures }) => failures > limitOf(key)));
}

async function requireUnlocked(queries: Queries, email: string, ip: string): Promise<void> {
  const rows = await queries
    .select()
    .from(signInAttempts)
    .where(inArray(signInAttempts.key, keysOf(email, ip)));
  refuseLocked(rows.filter(({ key, failures }) => failures >= limitOf(key)));
}

function refuseLocked(full: readonly Attempts[]): void {
  const waits = full.map(({ windowEndsAt }) => windowEndsAt.getTime() - Date.now()).filter((waitMs) => waitMs > 0);
  if (waits.length > 0) throw new AppError("SIGN_IN_LOCKED", { retryAfterMs: Math.max(...waits) });
}

async function countAttempt(queries: Queries, email: string, ip: string): Promise<Attempts[]> {
  const counted: Attempts[] = [];
  const now = new Date();
  const windowEndsAt = new Date(now.getTime() + windowMs);
  for (const key of keysOf(email, ip)) {
    const isOver = sql`${signInAttempts.windowEndsAt} < ${now}`;
    const rows = await queries
      .insert(signInAttempts)
      .values({ key, failures: 1, windowEndsAt })
      .onConflictDoUpdate({
        target: signInAttempts.key,
        set: {
          failures: sql`case when ${isOver} then 1 else ${signInAttempts.failures} + 1 end`,
          windowEndsAt: sql`case when ${isOver} then ${windowEndsAt} else ${signInAttempts.windowEndsAt} end`,
        },
      })
      .returning();
    counted.push(...rows);
  }
  return counted;
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
