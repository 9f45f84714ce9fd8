import { AppError } from "@attune/service-kit/app-error.ts";

const maxUrlLength = 8192;

/**
 * Reads an http or https URL, its characters first, because parsers disagree about tabs, line breaks and backslashes. What
 * it throws repeats nothing of it: presigned links are secrets.
 * @throws AppError `CACHE_URL_INVALID`
 */
export function parseSourceUrl(text: string): URL {
  if (text.length > maxUrlLength) throw invalid(`It is longer than ${maxUrlLength} characters.`);
  if (/[\p{Cc}\s\ufeff\\]/u.test(text)) throw invalid("It has blanks, control characters or backslashes.");
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/]/i.test(text)) throw invalid("It is not a complete http or https URL.");
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    throw invalid("It has a user name or password before the host.");
  }
  return url;
}

/** The host of a URL as addresses and rules are compared with it: no brackets, no dot of the root. */
export function hostOf(url: URL): string {
  const host = url.hostname.toLowerCase().replace(/\.+$/, "");
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function invalid(detail: string): AppError {
  return new AppError("CACHE_URL_INVALID", { detail });
}
