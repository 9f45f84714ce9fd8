import type { GetObjectCommandInput, GetObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { AppError } from "@attune/service-kit/app-error.ts";
import { boundBody } from "../../outbound/bounded-body.ts";
import { closeWith } from "../../outbound/close-with.ts";
import { readUntil } from "../../outbound/read-until.ts";
import type { FileSource, OpenedFile } from "../file-source.ts";
import { parseMediaType } from "../media-type.ts";
import { toFileName } from "../to-file-name.ts";
import { parseS3Url, type S3Address } from "./parse-s3-url.ts";
import { isConnectionLost, toS3Error } from "./to-s3-error.ts";

export interface S3SourceSettings {
  /** Buckets that may be read; empty: none. */
  readonly buckets: readonly string[];
  /** URL of a server other than AWS. It is the operator's, so the guard does not judge it. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Without it, the credential chain of AWS is used. */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
  /** `endpoint/bucket/key` in place of `bucket.endpoint/key`; undefined: exactly when there is an endpoint. */
  readonly isPathStyle?: boolean | undefined;
  readonly connectTimeoutMs: number;
  /** Longest silence of the server. */
  readonly idleTimeoutMs: number;
  /** Slowest body accepted, measured over `minRateWindowMs` of waiting. */
  readonly minRateBytesPerSecond: number;
  readonly minRateWindowMs: number;
  /** How often reading goes on where a broken connection left it. */
  readonly maxResumes: number;
}

export const defaultS3SourceSettings: S3SourceSettings = {
  buckets: [],
  region: "us-east-1",
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 20_000,
  minRateBytesPerSecond: 1_024,
  minRateWindowMs: 20_000,
  maxResumes: 2,
};

/** Objects of S3 and of servers that speak its protocol. The client is loaded when the first object is asked for. */
export function createS3Source(settings: S3SourceSettings): FileSource {
  let client: Promise<Fetcher> | undefined;
  return {
    schemes: ["s3"],
    open: async (url, signal) => {
      signal.throwIfAborted();
      const address = parseS3Url(url);
      assertAllowed(address, settings);
      client ??= createFetcher(settings);
      return openObject({ address, fetch: await client, settings }, signal);
    },
  };
}

function assertAllowed({ bucket }: S3Address, { buckets }: S3SourceSettings): void {
  if (buckets.includes(bucket)) return;
  const detail =
    buckets.length === 0 ? "No bucket is open (PARSER_S3_BUCKETS)." : "The bucket is not open (PARSER_S3_BUCKETS).";
  throw new AppError("FETCH_REFUSED", { detail });
}

type Fetcher = (input: GetObjectCommandInput, signal: AbortSignal) => Promise<GetObjectCommandOutput>;

async function createFetcher(settings: S3SourceSettings): Promise<Fetcher> {
  const { GetObjectCommand, S3Client: Client } = await import("@aws-sdk/client-s3");
  const { endpoint, region, accessKeyId, secretAccessKey = "", sessionToken, isPathStyle } = settings;
  const client: S3Client = new Client({
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: isPathStyle ?? endpoint !== undefined,
    ...(accessKeyId !== undefined && {
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
    }),
    // Servers other than AWS know no checksum trailers.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: settings.connectTimeoutMs,
      requestTimeout: settings.idleTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: settings.idleTimeoutMs,
    },
  });
  return (input, signal) => client.send(new GetObjectCommand(input), { abortSignal: signal });
}

interface ObjectRequest {
  readonly address: S3Address;
  readonly fetch: Fetcher;
  readonly settings: S3SourceSettings;
}

async function openObject(request: ObjectRequest, signal: AbortSignal): Promise<OpenedFile> {
  const first = await getObject(request, {}, signal);
  const body: { current: GetObjectCommandOutput } = { current: first };
  const { minRateBytesPerSecond, minRateWindowMs } = request.settings;
  const expectedBytes = first.ContentLength;
  const bounded = boundBody(readResuming(request, body, signal), {
    expectedBytes,
    minRateBytesPerSecond,
    minRateWindowMs,
  });
  const fileName = toFileName(request.address.key);
  return {
    stream: closeWith(readUntil(bounded, signal), () => discard(body.current)),
    ...parseMediaType(first.ContentType ?? ""),
    ...(expectedBytes !== undefined && { sizeBytes: expectedBytes }),
    ...(fileName !== undefined && { fileName }),
  };
}

async function getObject(
  { address, fetch }: ObjectRequest,
  range: Pick<GetObjectCommandInput, "Range" | "IfMatch">,
  signal: AbortSignal,
): Promise<GetObjectCommandOutput> {
  try {
    return await fetch({ Bucket: address.bucket, Key: address.key, ...range }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw toS3Error(error);
  }
}

// A broken connection is taken up again at the byte where it broke, of the same version of the object only.
async function* readResuming(
  request: ObjectRequest,
  body: { current: GetObjectCommandOutput },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { ETag: version, ContentLength: totalBytes = 0 } = body.current;
  let readBytes = 0;
  for (let resumes = 0; ; resumes++) {
    try {
      for await (const chunk of body.current.Body as unknown as AsyncIterable<Uint8Array>) {
        readBytes += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const canResume = isConnectionLost(error) && version !== undefined && readBytes < totalBytes;
      if (!canResume || resumes >= request.settings.maxResumes) throw toS3Error(error);
    }
    body.current = await getObject(request, { Range: `bytes=${readBytes}-`, IfMatch: version }, signal);
    assertContinues(body.current, readBytes);
  }
}

function assertContinues({ ContentRange: range }: GetObjectCommandOutput, readBytes: number): void {
  if (range?.startsWith(`bytes ${readBytes}-`)) return;
  throw new AppError("FETCH_FAILED", { detail: "The S3 server cannot go on where the connection broke." });
}

function discard({ Body: body }: GetObjectCommandOutput): void {
  const stream = body as unknown as { destroy(): void; on(event: "error", listener: () => void): void } | undefined;
  stream?.on("error", () => {});
  stream?.destroy();
}
