import { kindOf } from "./tokens.ts";

const name = "attune_session";

/**
 * The cookie gives a page that was loaded anew its token back, and does nothing else: it is sent to that one path only, and
 * no operation takes it for a token. So a foreign page can make a browser send it, and gains nothing.
 */
export function writeSessionCookie(token: string, lifeMs: number, isSecure: boolean): string {
  const parts = [
    `${name}=${token}`,
    "Path=/api/v1/session/resume",
    `Max-Age=${Math.floor(lifeMs / 1000)}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

export function readSessionCookie(header: string | undefined): string | undefined {
  const pair = (header ?? "").split(";").find((part) => part.trim().startsWith(`${name}=`));
  const token = pair?.trim().slice(name.length + 1) ?? "";
  return kindOf(token) === "session" ? token : undefined;
}
