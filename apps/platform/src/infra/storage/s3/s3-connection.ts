import type * as Sdk from "@aws-sdk/client-s3";
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type { Secret } from "@attune/service-kit/secret.ts";
import { toS3Error } from "./to-s3-error.ts";

export interface S3StoreSettings {
  readonly bucket: string;
  /** What all keys in the bucket begin with; empty, or ending with a slash. At most 100 bytes. */
  readonly prefix: string;
  /** URL of a server other than AWS. */
  readonly endpoint?: string | undefined;
  /** URL under which browsers reach that server, for links; undefined: the same. */
  readonly publicEndpoint?: string | undefined;
  readonly region: string;
  /** Without it, the credential chain of AWS is used. */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: Secret | undefined;
  /** `endpoint/bucket/key` in place of `bucket.endpoint/key`; undefined: exactly when there is an endpoint. */
  readonly isPathStyle?: boolean | undefined;
  /** Of the parts in which large objects are sent; each of `partsAtOnce` lies in memory. At least 5 MiB. */
  readonly partBytes: number;
  readonly partsAtOnce: number;
  /** Largest object that one request may copy; AWS takes 5 GiB. */
  readonly maxCopyBytes: number;
  readonly connectTimeoutMs: number;
  /** Longest silence of the server. */
  readonly idleTimeoutMs: number;
  readonly maxAttempts: number;
}

export const defaultS3Settings = {
  prefix: "attune/",
  region: "us-east-1",
  partBytes: 8 * 2 ** 20,
  partsAtOnce: 3,
  maxCopyBytes: 5 * 2 ** 30,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  maxAttempts: 3,
} as const satisfies Partial<S3StoreSettings>;

/** The loaded SDK with one client. */
export interface S3Connection {
  readonly sdk: typeof Sdk;
  readonly client: S3Client;
  /** Makes links; its endpoint is the one that browsers reach. */
  readonly linkClient: S3Client;
  readonly settings: S3StoreSettings;
  /** What every request names. */
  readonly bucket: { readonly Bucket: string };
  /** @throws AppError; the reason of `signal` when that aborted. */
  call<T>(request: (client: S3Client) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Loads the SDK, which takes about 0.2 seconds and 20 MB, so that only who has S3 pays for it. */
export async function connectToS3(settings: S3StoreSettings): Promise<S3Connection> {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client(toClientConfig(settings, settings.endpoint));
  const { publicEndpoint } = settings;
  const linkClient = publicEndpoint === undefined ? client : new sdk.S3Client(toClientConfig(settings, publicEndpoint));
  return {
    sdk,
    client,
    linkClient,
    settings,
    bucket: { Bucket: settings.bucket },
    call: async (request, signal) => {
      try {
        signal?.throwIfAborted();
        return await request(client);
      } catch (error) {
        signal?.throwIfAborted();
        throw toS3Error(error);
      }
    },
  };
}

function toClientConfig(settings: S3StoreSettings, endpoint: string | undefined): S3ClientConfig {
  const { region, accessKeyId, secretAccessKey, isPathStyle, connectTimeoutMs, idleTimeoutMs } = settings;
  return {
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: isPathStyle ?? endpoint !== undefined,
    ...(accessKeyId !== undefined && {
      credentials: { accessKeyId, secretAccessKey: secretAccessKey?.reveal() ?? "" },
    }),
    maxAttempts: settings.maxAttempts,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: idleTimeoutMs,
    },
    // Servers other than AWS know no checksum trailers: one refuses them, another stores them as content.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  };
}
