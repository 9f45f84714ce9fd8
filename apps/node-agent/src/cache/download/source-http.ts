import { AppError } from "@attune/service-kit/app-error.ts";
import type { Agent, Dispatcher } from "undici";
import type { CacheSettings } from "../cache-settings.ts";
import { boundBody } from "./bound-body.ts";
import { type AllowedHosts, parseAllowedHosts } from "./allowed-hosts.ts";
import { createGuardedAgent, refuse } from "./guarded-agent.ts";
import { hostOf, parseSourceUrl, portOf } from "./parse-source-url.ts";
import { toSourceError } from "./to-source-error.ts";

export interface SourceRequest {
  readonly url: string;
  /** Sent to this origin alone: a redirect to another one goes without them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent wherever it leads: what part is wanted. */
  readonly rangeHeaders?: Readonly<Record<string, string>>;
  /** Whether the operator configured this origin, so that its addresses are not judged. */
  readonly isTrusted?: boolean;
}

export interface SourceAnswer {
  readonly status: number;
  /** Lower-case names; repeated headers joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The host that answered, after redirects, for messages. */
  readonly host: string;
  /** Reading it throws `CACHE_SOURCE_TIMEOUT` and `CACHE_SOURCE_FAILED`. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly discard: () => void;
}

/** GET requests to sources, guarded. */
export interface SourceHttp {
  /**
   * @throws AppError `CACHE_URL_INVALID`, `CACHE_ADDRESS_REFUSED`, `CACHE_REDIRECT_REFUSED`, `CACHE_SOURCE_FAILED`,
   * `CACHE_SOURCE_TIMEOUT`; the reason of `signal`.
   */
  get(request: SourceRequest, signal: AbortSignal): Promise<SourceAnswer>;
  /** Ends all connections, those in use as well. */
  close(): Promise<void>;
}

const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** @throws TypeError when `settings.allowedHosts` has an entry that is not one. */
export function createSourceHttp(settings: CacheSettings): SourceHttp {
  const hosts = parseAllowedHosts(settings.allowedHosts);
  const guarded = createGuardedAgent(settings, hosts);
  const trusted = createGuardedAgent(settings, undefined);
  const deps: Deps = { settings, hosts, agentFor: (isTrusted) => (isTrusted ? trusted : guarded) };
  return {
    get: (request, signal) => follow(request, deps, signal),
    close: async () => {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

interface Deps {
  readonly settings: CacheSettings;
  readonly hosts: AllowedHosts;
  readonly agentFor: (isTrusted: boolean) => Agent;
}

interface Hop {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly isTrusted: boolean;
}

async function follow(request: SourceRequest, deps: Deps, signal: AbortSignal): Promise<SourceAnswer> {
  const { headers = {}, rangeHeaders = {}, isTrusted = false } = request;
  let hop: Hop = { url: parseSourceUrl(request.url), headers, isTrusted };
  for (let followed = 0; ; followed++) {
    const answer = await send({ ...hop, headers: { ...hop.headers, ...rangeHeaders } }, deps, signal);
    if (!redirectStatuses.has(answer.statusCode)) return toAnswer(answer, hop.url, deps.settings);
    answer.body.destroy();
    if (followed === maxRedirects) throw redirectRefused(`It is behind more than ${maxRedirects} redirects.`);
    hop = nextHop(hop, answer.headers["location"]);
  }
}

async function send(hop: Hop, { hosts, agentFor }: Deps, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, isTrusted } = hop;
  const verdict = isTrusted ? undefined : hosts.judgePort(hostOf(url), portOf(url));
  if (verdict !== undefined) throw refuse(verdict);
  try {
    const answer = await agentFor(isTrusted).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET",
      headers: { "user-agent": "attune-node-agent", accept: "*/*", ...hop.headers, "accept-encoding": "identity" },
      signal,
    });
    // Whoever reads the body hears of it; when nobody does, it is no fault.
    answer.body.on("error", () => {});
    return answer;
  } catch (error) {
    throw toSourceError(error, hostOf(url), signal);
  }
}

function nextHop(hop: Hop, location: string | string[] | undefined): Hop {
  if (typeof location !== "string") throw redirectRefused("It names no single target.");
  const url = parseTarget(location, hop.url);
  if (hop.url.protocol === "https:" && url.protocol === "http:") throw redirectRefused("It leads from https to http.");
  const isSame = url.origin === hop.url.origin;
  return { url, headers: isSame ? hop.headers : {}, isTrusted: isSame && hop.isTrusted };
}

function parseTarget(location: string, from: URL): URL {
  const target = /[\s\\\p{Cc}]/u.test(location) ? null : URL.parse(location, from.href);
  try {
    return parseSourceUrl(target?.href ?? location);
  } catch (error) {
    throw redirectRefused("It leads to an address that is never followed.", error);
  }
}

function toAnswer({ statusCode, headers, body }: Dispatcher.ResponseData, url: URL, settings: CacheSettings) {
  const encoding = String(headers["content-encoding"] ?? "identity").trim();
  if (!/^(?:identity)?$/i.test(encoding)) {
    body.destroy();
    const detail = `${hostOf(url)} sent it compressed although it was asked not to.`;
    throw new AppError("CACHE_SOURCE_INVALID", { detail });
  }
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? "")])),
    host: hostOf(url),
    body: boundBody(body, hostOf(url), settings.minRateBytesPerSecond),
    discard: () => void body.destroy(),
  };
}

function redirectRefused(detail: string, cause?: unknown): AppError {
  return new AppError("CACHE_REDIRECT_REFUSED", { detail }, cause);
}
