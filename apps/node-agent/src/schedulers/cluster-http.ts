import { AppError } from "@attune/service-kit/app-error.ts";
import { request } from "undici";

export interface ClusterAnswer {
  readonly status: number;
  readonly text: string;
  /** Undefined when the text is not JSON. */
  readonly json: unknown;
}

export interface ClusterRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** From the root of the server, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ClusterHttpSettings {
  /** Of the server, without a slash at its end. */
  readonly url: string;
  readonly timeoutMs: number;
}

/** The list of all jobs of a large cluster is of this order. */
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * One exchange with the server of a scheduler. Redirects are refused, because the token would go along.
 * @throws AppError CLUSTER_UNREACHABLE when no whole answer came in time, CLUSTER_INCOMPATIBLE for a redirect.
 */
export async function callCluster(
  { url, timeoutMs }: ClusterHttpSettings,
  { method, path, headers, body }: ClusterRequest,
  signal?: AbortSignal,
): Promise<ClusterAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    // Not `fetch`, which marks its requests as those of a browser, and Ray refuses these.
    const response = await request(`${url}${path}`, {
      method,
      headers: { accept: "application/json", ...headers, ...(body !== undefined && json) },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await readText(response.body);
    if (response.statusCode >= 300 && response.statusCode < 400) throw redirected(url);
    return { status: response.statusCode, text, json: parseJson(text) };
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof AppError ? error : unreachable(url, error, timeout.aborted ? timeoutMs : undefined);
  }
}

const json = { "content-type": "application/json" };

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxAnswerBytes) throw new Error(`its answer is longer than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const redirected = (url: string): AppError =>
  new AppError("CLUSTER_INCOMPATIBLE", { detail: `${url} redirects to another address, which is not followed.` });

function unreachable(url: string, error: unknown, timeoutMs: number | undefined): AppError {
  const detail =
    timeoutMs === undefined ? `${url}: ${causeOf(error)}.` : `${url} did not answer within ${timeoutMs / 1000} s.`;
  return new AppError("CLUSTER_UNREACHABLE", { detail }, error);
}

// Where a name has several addresses, each has failed for a reason of its own.
function causeOf(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: readonly unknown[] };
  const [first] = errors ?? [];
  if (first instanceof Error) return causeOf(first);
  return (message || "no connection").replace(/\.$/, "");
}
