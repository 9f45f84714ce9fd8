import { randomBytes } from "node:crypto";
import { oidcRequestLifeMs } from "./oidc-requests.ts";

const name = "attune_oidc";

/**
 * The key of the browser that a sign-in was started in. Without it anybody could have somebody else end a sign-in that they
 * started, who would then work in a foreign account. It comes back from the provider's site, so that SameSite is Lax.
 */
export const makeBrowserKey = (): string => randomBytes(32).toString("base64url");

export function writeBrowserCookie(key: string, isSecure: boolean): string {
  const parts = [`${name}=${key}`, "Path=/api/v1/session/oidc", `Max-Age=${oidcRequestLifeMs / 1000}`];
  return [...parts, "HttpOnly", "SameSite=Lax", ...(isSecure ? ["Secure"] : [])].join("; ");
}

export function readBrowserCookie(header: string | undefined): string | undefined {
  const pair = (header ?? "").split(";").find((part) => part.trim().startsWith(`${name}=`));
  const key = pair?.trim().slice(name.length + 1) ?? "";
  return /^[\w-]{43}$/.test(key) ? key : undefined;
}
