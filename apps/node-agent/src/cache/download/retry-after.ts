/**
 * How long a server asks to be left alone, in ms: `Retry-After` in seconds or as a date (RFC 9110), or the `t` of a
 * `RateLimit` that is used up (draft-ietf-httpapi-ratelimit-headers), as hubs send it.
 */
export function readRetryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const dateMs = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(dateMs)) return Math.max(0, dateMs - nowMs);
  const limit = /;\s*r\s*=\s*0\s*;\s*t\s*=\s*(\d{1,9})/.exec(headers["ratelimit"] ?? "");
  return limit === null ? undefined : Number(limit[1]) * 1000;
}
