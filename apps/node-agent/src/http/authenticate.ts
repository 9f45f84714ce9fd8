import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";

/**
 * Makes the check of the bearer token; without a token of the node everybody passes. The comparison takes the same time
 * whatever is sent.
 */
export function createAuthenticator(token: Secret | undefined): (authorization: string | undefined) => void {
  if (token === undefined) return () => undefined;
  // Of equal length whatever the tokens are.
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = digest(token.reveal());
  return (authorization) => {
    const [, given = ""] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    if (!timingSafeEqual(digest(given), expected)) throw new AppError("NODE_TOKEN_REQUIRED");
  };
}
