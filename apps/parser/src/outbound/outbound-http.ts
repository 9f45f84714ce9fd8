/** HTTP to other machines, judged by the guard. */
export interface OutboundHttp {
  /**
   * One request, without following redirects unless `maxRedirects` is given; each hop is judged anew.
   * @throws AppError `FETCH_REFUSED`, `FETCH_FAILED`, `FETCH_TIMEOUT`, `FILE_TOO_LARGE` (body over `maxBytes`).
   */
  request(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse>;
}

export interface OutboundRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "HEAD";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | FormData;
  /** Whole exchange, connection included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects?: number;
  /** Skips the judgement of addresses: only for URLs that the operator configured. */
  readonly isTrusted?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
