import { AppError } from "@attune/service-kit/app-error.ts";
import type { OutboundRequest } from "./outbound-http.ts";
import { parseHttpUrl } from "./judge-url.ts";

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: string;
  readonly method: NonNullable<OutboundRequest["method"]>;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** The operator configured this very origin. */
  readonly isTrusted: boolean;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * The request that a redirect asks for. To another origin goes a bare GET or HEAD: no header of the caller, no body, no
 * trust.
 * @throws AppError `FETCH_REFUSED` for a target that is never followed, `FETCH_FAILED` for an answer without one target.
 */
export function followRedirect(hop: Hop, status: number, location: string | readonly string[] | undefined): Hop {
  if (typeof location !== "string") {
    throw new AppError("FETCH_FAILED", { detail: "Its server redirects without naming exactly one target." });
  }
  const from = new URL(hop.url);
  const to = parseTarget(location, from);
  if (from.protocol === "https:" && to.protocol === "http:") {
    throw new AppError("FETCH_REFUSED", { detail: "Its server redirects from https to http." });
  }
  const isRepeated = status === 307 || status === 308 || hop.method === "HEAD" || hop.method === "GET";
  return from.origin === to.origin ? sameOriginHop(hop, to, isRepeated) : foreignHop(hop, to, isRepeated);
}

function sameOriginHop(hop: Hop, to: URL, isRepeated: boolean): Hop {
  if (isRepeated) return { ...hop, url: to.href };
  const headers = Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !name.startsWith("content-")));
  return { url: to.href, method: "GET", headers, isTrusted: hop.isTrusted };
}

function foreignHop(hop: Hop, to: URL, isRepeated: boolean): Hop {
  if (isRepeated && hop.body !== undefined) {
    throw new AppError("FETCH_REFUSED", { detail: "Its server redirects a request with a body to another server." });
  }
  return { url: to.href, method: isRepeated ? hop.method : "GET", headers: {}, isTrusted: false };
}

function parseTarget(location: string, from: URL): URL {
  const target = /[\s\\\p{Cc}]/u.test(location) ? null : URL.parse(location, from.href);
  try {
    return parseHttpUrl(target?.href ?? location);
  } catch (error) {
    throw new AppError(
      "FETCH_REFUSED",
      { detail: "Its server redirects to an address that is never followed." },
      error,
    );
  }
}
