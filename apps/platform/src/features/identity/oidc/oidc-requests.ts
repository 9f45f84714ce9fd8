import { eq, lt } from "drizzle-orm";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Queries } from "../../../infra/db/create-database.ts";
import type { OidcChecks } from "../../../infra/oidc/oidc-provider.ts";
import { oidcRequests } from "../tables.ts";
import { hashToken } from "../tokens.ts";

/** Time to sign in at the provider, in milliseconds. */
export const oidcRequestLifeMs = 10 * 60_000;

/** Keeps a sign-in that was started in the browser that holds `browserKey`. */
export async function keepRequest(queries: Queries, checks: OidcChecks, browserKey: string): Promise<void> {
  const { state, nonce, codeVerifier } = checks;
  const expiresAt = new Date(Date.now() + oidcRequestLifeMs);
  await queries
    .insert(oidcRequests)
    .values({ stateHash: hashToken(state), browserHash: hashToken(browserKey), nonce, codeVerifier, expiresAt });
}

/**
 * Takes the sign-in of a state away, so that it can be ended once.
 * @throws AppError OIDC_REQUEST_UNKNOWN when it expired, was taken before, or was started in another browser.
 */
export async function takeRequest(
  queries: Queries,
  state: string,
  browserKey: string | undefined,
): Promise<OidcChecks> {
  const [taken] = await queries
    .delete(oidcRequests)
    .where(eq(oidcRequests.stateHash, hashToken(state)))
    .returning();
  const isOwn = browserKey !== undefined && taken?.browserHash.equals(hashToken(browserKey)) === true;
  if (taken === undefined || !isOwn || taken.expiresAt < new Date()) throw new AppError("OIDC_REQUEST_UNKNOWN");
  return { state, nonce: taken.nonce, codeVerifier: taken.codeVerifier };
}

export async function sweepOidcRequests(queries: Queries): Promise<void> {
  await queries.delete(oidcRequests).where(lt(oidcRequests.expiresAt, new Date()));
}
