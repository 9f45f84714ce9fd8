import { AppError } from "@attune/service-kit/app-error.ts";
import type { Agent, Dispatcher } from "undici";
import { GrowingBytes } from "../limits/growing-bytes.ts";
import { type AllowList, parseAllowList } from "./allow-list.ts";
import { boundBody } from "./bounded-body.ts";
import { closeWith } from "./close-with.ts";
import { encodeBody } from "./encode-body.ts";
import { createGuardedAgent, findJudgedAddresses } from "./guarded-agent.ts";
import { hostOf, judgeUrl, parseHttpUrl, portOf } from "./judge-url.ts";
import type { OutboundRequest, OutboundStream, StreamingHttp, StreamRequest } from "./outbound-http.ts";
import type { OutboundSettings } from "./outbound-settings.ts";
import { readUntil } from "./read-until.ts";
import { followRedirect, type Hop, isRedirect } from "./redirect.ts";
import { createResolveHost, type ResolveHost } from "./resolve-host.ts";
import { toFetchError } from "./to-fetch-error.ts";

/** Redirects followed at most, whatever a request asks for. */
const maxRedirects = 5;
/** Interim answers (1xx) accepted before the final one. */
const maxInterimAnswers = 16;

/**
 * HTTP that reaches public addresses and what the operator opened, nothing else. Answers come unencoded: none is asked
 * for, and an encoded one is refused, so that no body grows on its way in.
 * @throws TypeError when `settings.allowedHosts` has an entry that is not one.
 */
export function createOutboundHttp(
  settings: OutboundSettings,
  resolveHost: ResolveHost = createResolveHost(settings),
): StreamingHttp {
  const allowList = parseAllowList(settings.allowedHosts);
  const guarded = createGuardedAgent({ settings, resolveHost, allowList });
  const trusted = createGuardedAgent({ settings, resolveHost, allowList: undefined });
  const agentFor = (hop: Hop) => (hop.isTrusted ? trusted : guarded);
  return {
    open: (request, signal) => openWithDeadline({ request, pace: settings, allowList, agentFor }, signal),
    request: async ({ maxBytes, ...request }, signal) => {
      const pace = deadlineOnly(request.timeoutMs);
      const stream = await openWithDeadline({ request, pace, allowList, agentFor }, signal);
      return { status: stream.status, headers: stream.headers, body: await collect(stream, maxBytes) };
    },
    judge: async (text, signal) => {
      signal.throwIfAborted();
      const url = judgeUrl(text, allowList);
      await findJudgedAddresses({ host: hostOf(url), port: portOf(url) }, { resolveHost, allowList });
    },
    close: async () => {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

/** How fast an answer must come. */
type Pace = Pick<
  OutboundSettings,
  "headersTimeoutMs" | "bodyIdleTimeoutMs" | "minRateBytesPerSecond" | "minRateWindowMs"
>;

// A service may think for minutes before it says a word; its caller has said how long it may take altogether.
function deadlineOnly(timeoutMs: number): Pace {
  return {
    headersTimeoutMs: timeoutMs,
    bodyIdleTimeoutMs: timeoutMs,
    minRateBytesPerSecond: 0,
    minRateWindowMs: Infinity,
  };
}

type OpenRequest = StreamRequest & Pick<OutboundRequest, "method" | "body">;

interface Exchange {
  readonly request: OpenRequest;
  readonly pace: Pace;
  readonly allowList: AllowList;
  readonly agentFor: (hop: Hop) => Agent;
}

// One deadline holds for all hops and the body; it ends the exchange even when nobody reads the body.
async function openWithDeadline(exchange: Exchange, signal: AbortSignal): Promise<OutboundStream> {
  signal.throwIfAborted();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(deadlineExceeded(exchange.request.timeoutMs)), exchange.request.timeoutMs);
  const onAbort = () => abort.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const release = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  try {
    const { answer, url } = await followHops(exchange, abort);
    answer.body.once("close", release);
    return toStream({ answer, url, isHead: exchange.request.method === "HEAD" }, exchange.pace, abort.signal);
  } catch (error) {
    release();
    throw abort.signal.aborted ? abort.signal.reason : toFetchError(error);
  }
}

async function followHops(exchange: Exchange, abort: AbortController) {
  const { request } = exchange;
  let hop: Hop = {
    url: request.url,
    method: request.method ?? "GET",
    ...(await encodeBody(request)),
    isTrusted: request.isTrusted ?? false,
  };
  const allowed = Math.min(request.maxRedirects ?? 0, maxRedirects);
  for (let followed = 0; ; followed++) {
    const answer = await send(hop, exchange, abort);
    if (!isRedirect(answer.statusCode) || request.maxRedirects === undefined) return { answer, url: hop.url };
    answer.body.destroy();
    if (followed === allowed)
      throw new AppError("FETCH_FAILED", { detail: `It is behind more than ${allowed} redirects.` });
    hop = followRedirect(hop, answer.statusCode, answer.headers["location"]);
  }
}

async function send(hop: Hop, exchange: Exchange, abort: AbortController): Promise<Dispatcher.ResponseData> {
  const url = hop.isTrusted ? parseHttpUrl(hop.url) : judgeUrl(hop.url, exchange.allowList);
  let interimAnswers = 0;
  const answer = await exchange.agentFor(hop).request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: hop.method,
    headers: { "user-agent": "docparser", accept: "*/*", ...hop.headers, "accept-encoding": "identity" },
    body: hop.body ?? null,
    signal: abort.signal,
    headersTimeout: exchange.pace.headersTimeoutMs,
    bodyTimeout: exchange.pace.bodyIdleTimeoutMs,
    onInfo: () => {
      if (++interimAnswers > maxInterimAnswers) abort.abort(tooManyInterim());
    },
  });
  // The deadline may end a body that nobody is reading.
  answer.body.on("error", () => {});
  try {
    assertUnencoded(answer.headers["content-encoding"], /^(?:identity)?$/i);
    assertUnencoded(answer.headers["transfer-encoding"], /^(?:chunked)?$/i);
  } catch (error) {
    answer.body.destroy();
    throw error;
  }
  return answer;
}

function assertUnencoded(encoding: string | string[] | undefined, plain: RegExp): void {
  if (plain.test(String(encoding ?? "").trim())) return;
  throw new AppError("FETCH_FAILED", { detail: "Its server sent it compressed although it was asked not to." });
}

interface Answered {
  readonly answer: Dispatcher.ResponseData;
  readonly url: string;
  readonly isHead: boolean;
}

function toStream({ answer, url, isHead }: Answered, pace: Pace, signal: AbortSignal): OutboundStream {
  const { body, statusCode } = answer;
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? "")]),
  );
  const expectedBytes = isHead ? undefined : declaredLength(headers["content-length"]);
  const bounded = boundBody(body, { ...pace, expectedBytes });
  const discard = () => void body.destroy();
  const stream = { status: statusCode, headers, url, discard, body: closeWith(readUntil(bounded, signal), discard) };
  return expectedBytes === undefined ? stream : { ...stream, sizeBytes: expectedBytes };
}

function declaredLength(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function collect(stream: OutboundStream, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new AppError("FILE_TOO_LARGE", { detail: `An answer has more than ${maxBytes} bytes.` });
  if ((stream.sizeBytes ?? 0) > maxBytes) {
    stream.discard();
    throw tooLarge();
  }
  const bytes = new GrowingBytes(stream.sizeBytes);
  for await (const chunk of stream.body) {
    if (bytes.sizeBytes + chunk.length > maxBytes) throw tooLarge();
    bytes.append(chunk);
  }
  return bytes.view();
}

function deadlineExceeded(timeoutMs: number): AppError {
  return new AppError("FETCH_TIMEOUT", { detail: `It took longer than ${timeoutMs} ms.` });
}

function tooManyInterim(): AppError {
  return new AppError("FETCH_FAILED", { detail: "Its server sends interim answers without end." });
}
