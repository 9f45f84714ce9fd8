import { resolve } from "node:path";
import { integerSetting, secretSetting, textSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import * as z from "zod";

/** Keys of the environment that say where the platform keeps objects. */
export const storageSettings = {
  ATTUNE_DATA_DIR: z.string().default("data").meta({
    description: "Folder of all data on this machine",
    allowed: "path",
  }),
  PLATFORM_STORE: z
    .enum(["filesystem", "s3"])
    .default("filesystem")
    .meta({ description: "Where objects are kept; several nodes need s3", allowed: "filesystem, s3" }),
  PLATFORM_STORE_PATH: textSetting("Folder of the store `filesystem`; `objects` in ATTUNE_DATA_DIR when unset"),
  PLATFORM_STORE_LINK_SECRET: secretSetting(
    "At least 32 characters that sign links of the store `filesystem`; it makes and keeps its own when unset",
  ),
  PLATFORM_S3_BUCKET: textSetting("Bucket of the store `s3`; it must exist"),
  PLATFORM_S3_PREFIX: z
    .string()
    .regex(/^(?:[\w.-]+\/)*$/, { error: "must be empty, or names that each end with a slash" })
    .max(100)
    .default("attune/")
    .meta({ description: "What all names in the bucket begin with", allowed: "names, each with a slash at its end" }),
  PLATFORM_S3_ENDPOINT: urlSetting("Server of the bucket; Amazon when unset"),
  PLATFORM_S3_PUBLIC_ENDPOINT: urlSetting("The same server as browsers reach it, for download links"),
  PLATFORM_S3_REGION: z.string().default("us-east-1").meta({ description: "Region of the bucket", allowed: "text" }),
  PLATFORM_S3_ACCESS_KEY_ID: textSetting("Access key; the credential chain of AWS is used when unset"),
  PLATFORM_S3_SECRET_ACCESS_KEY: secretSetting("Secret of the access key"),
  PLATFORM_S3_PATH_STYLE: z.enum(["auto", "true", "false"]).default("auto").meta({
    description: "Whether the bucket stands in the path of the address; `auto`: exactly when there is an endpoint",
    allowed: "auto, true, false",
  }),
  PLATFORM_S3_IDLE_TIMEOUT_MS: integerSetting(
    { min: 1000, max: 600_000, fallback: 30_000 },
    "Longest silence of the server of the bucket",
  ),
  PLATFORM_INLINE_MAX_KIB: integerSetting(
    { min: 0, max: 1024, fallback: 64 },
    "Largest file that lies in the database instead of the store; 0: none does",
  ),
  PLATFORM_INLINE_MEDIA_TYPES: z
    .string()
    .regex(/^[\w.+*-]+\/[\w.+*-]+(?:, *[\w.+*-]+\/[\w.+*-]+)*$/, {
      error: "must be media types such as text/*, with commas",
    })
    .default("*/*")
    .meta({ description: "Media types of files that may lie in the database", allowed: "list with commas; * for any" }),
  PLATFORM_STORAGE_LEASE_SECONDS: integerSetting(
    { min: 5, max: 3600, fallback: 60 },
    "How long a node that writes a file may be silent before what it wrote is removed",
  ),
  PLATFORM_STORAGE_UNFINISHED_HOURS: integerSetting(
    { min: 1, max: 8760, fallback: 24 },
    "How long an upload that nobody goes on with is kept",
  ),
};

type Settings = z.infer<z.ZodObject<typeof storageSettings>>;

/** The slice of the configuration that stores are made from. */
export interface StorageValues {
  readonly store: Settings["PLATFORM_STORE"];
  /** Address of the platform as browsers reach it. */
  readonly publicUrl: string;
  readonly filesystem: { readonly path: string; readonly linkSecret: Secret | undefined };
  readonly s3: {
    readonly bucket: string | undefined;
    readonly prefix: string;
    readonly endpoint: string | undefined;
    readonly publicEndpoint: string | undefined;
    readonly region: string;
    readonly accessKeyId: string | undefined;
    readonly secretAccessKey: Secret | undefined;
    readonly isPathStyle: boolean | undefined;
    readonly idleTimeoutMs: number;
  };
}

/** What is kept where, and for how long what is not finished is kept. */
export interface StoragePolicy {
  readonly inlineMaxBytes: number;
  /** Such as `text/*`. */
  readonly inlineMediaTypes: readonly string[];
  /** Silence of a writer after which its write counts as given up. */
  readonly leaseMs: number;
  /** Age at which removals that nobody finished are taken over. */
  readonly removalMs: number;
  readonly unfinishedMs: number;
}

export function toStoragePolicy(settings: Settings): StoragePolicy {
  return {
    inlineMaxBytes: settings.PLATFORM_INLINE_MAX_KIB * 1024,
    inlineMediaTypes: settings.PLATFORM_INLINE_MEDIA_TYPES.split(",").map((type) => type.trim().toLowerCase()),
    leaseMs: settings.PLATFORM_STORAGE_LEASE_SECONDS * 1000,
    removalMs: settings.PLATFORM_STORAGE_LEASE_SECONDS * 1000,
    unfinishedMs: settings.PLATFORM_STORAGE_UNFINISHED_HOURS * 3_600_000,
  };
}

export function toStorageValues(settings: Settings, publicUrl: string): StorageValues {
  const { PLATFORM_S3_PATH_STYLE: pathStyle } = settings;
  return {
    store: settings.PLATFORM_STORE,
    publicUrl,
    filesystem: {
      path: resolve(settings.PLATFORM_STORE_PATH ?? `${settings.ATTUNE_DATA_DIR}/objects`),
      linkSecret: settings.PLATFORM_STORE_LINK_SECRET,
    },
    s3: {
      bucket: settings.PLATFORM_S3_BUCKET,
      prefix: settings.PLATFORM_S3_PREFIX,
      endpoint: settings.PLATFORM_S3_ENDPOINT,
      publicEndpoint: settings.PLATFORM_S3_PUBLIC_ENDPOINT,
      region: settings.PLATFORM_S3_REGION,
      accessKeyId: settings.PLATFORM_S3_ACCESS_KEY_ID,
      secretAccessKey: settings.PLATFORM_S3_SECRET_ACCESS_KEY,
      isPathStyle: pathStyle === "auto" ? undefined : pathStyle === "true",
      idleTimeoutMs: settings.PLATFORM_S3_IDLE_TIMEOUT_MS,
    },
  };
}
