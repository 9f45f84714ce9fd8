import { createHash, randomBytes } from "node:crypto";

export type TokenKind = "session" | "api_token";

const prefixes: Readonly<Record<TokenKind, string>> = { session: "atts_", api_token: "attk_" };
const bytes = 32;

export interface MadeToken {
  readonly token: string;
  readonly hash: Buffer;
  /** Its first characters, to recognise it by; they tell nothing of the rest. */
  readonly prefix: string;
}

/** 256 random bits behind a prefix that tells what it is, so that leaked ones can be found by scanners. */
export function makeToken(kind: TokenKind): MadeToken {
  const token = prefixes[kind] + randomBytes(bytes).toString("base64url");
  return { token, hash: hashToken(token), prefix: token.slice(0, 10) };
}

/** The hash of as many random bits needs neither salt nor work. */
export const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

export function kindOf(token: string): TokenKind | undefined {
  const isToken = /^att[sk]_[\w-]{43}$/.test(token);
  if (!isToken) return undefined;
  return token.startsWith(prefixes.session) ? "session" : "api_token";
}
