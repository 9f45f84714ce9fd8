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

/** The same guard for bodies that are read while they arrive. */
export interface StreamingHttp extends OutboundHttp {
  /**
   * A GET whose body is handed over as it comes; it may be longer than memory. Reading it throws `FETCH_FAILED` or
   * `FETCH_TIMEOUT` when it ends early, is too slow, or differs from its declared length. Leaving it early closes the
   * connection. Unlike `request`, which knows its deadline only, it also ends silence and dripping.
   * @throws AppError as `request` does.
   */
  open(request: StreamRequest, signal: AbortSignal): Promise<OutboundStream>;
  /**
   * Whether a request to this URL would be let out: its text, its host and all addresses of its name, without connecting.
   * @throws AppError `FILE_URL_INVALID`, `FETCH_REFUSED`, `FETCH_FAILED` when the name has no address.
   */
  judge(url: string, signal: AbortSignal): Promise<void>;
  /** Ends all connections, those in use as well. */
  close(): Promise<void>;
}

export type StreamRequest = Omit<OutboundRequest, "method" | "body" | "maxBytes">;

export interface OutboundStream {
  readonly status: number;
  /** Lower-case names; repeated headers joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address that answered, after redirects. */
  readonly url: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Bytes of the body when the server declares them. */
  readonly sizeBytes?: number;
  /** Closes the connection without reading the body. */
  discard(): void;
}
