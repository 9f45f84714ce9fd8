import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { logLevels } from "@attune/service-kit/create-logger.ts";
import {
  ConfigError,
  type Environment,
  flagSetting,
  integerSetting,
  listSetting,
  loadSettings,
  secretSetting,
  textSetting,
  urlSetting,
} from "@attune/service-kit/load-config.ts";
import * as z from "zod";
import * as engineModules from "./engines.ts";
import { parseAllowList } from "./outbound/allow-list.ts";
import type { DocumentLimits } from "./limits/budget.ts";

const mib = 1 << 20;
const cores = availableParallelism();

const serverSettings = {
  PARSER_HOST: z
    .string()
    .default("127.0.0.1")
    .meta({ description: "Address the gRPC service listens on", allowed: "IP address or host name" }),
  PARSER_PORT: integerSetting(
    { min: 0, max: 65_535, fallback: 50_051 },
    "Port of the gRPC service; 0 takes any free one",
  ),
  PARSER_TOKEN: secretSetting("Bearer token that callers must send; without it every caller is served"),
  PARSER_TLS_CERT_PATH: textSetting("Certificate of the service, PEM; with it the service speaks TLS"),
  PARSER_TLS_KEY_PATH: textSetting("Private key of the certificate, PEM"),
  PARSER_TLS_CLIENT_CA_PATH: textSetting(
    "Authority of callers' certificates, PEM; with it callers must present one (mutual TLS)",
  ),
  PARSER_REFLECTION: flagSetting(true, "Whether gRPC server reflection is served"),
  PARSER_MAX_REQUEST_MIB: integerSetting(
    { min: 1, max: 1024, fallback: 48 },
    "Largest request message, `data:` URLs included",
  ),
  PARSER_RECEIVE_TIMEOUT_MS: integerSetting(
    { min: 100, max: 600_000, fallback: 30_000 },
    "Time for the message of a call to arrive",
  ),
  PARSER_DRAIN_TIMEOUT_MS: integerSetting(
    { min: 0, max: 3_600_000, fallback: 30_000 },
    "Time for calls under way to end after SIGTERM",
  ),
  PARSER_METRICS_PORT: integerSetting(
    { min: 0, max: 65_535, fallback: 0 },
    "Port of Prometheus metrics at /metrics, on PARSER_HOST; 0 serves none",
  ),
  PARSER_LOG_LEVEL: z
    .enum(logLevels)
    .default("info")
    .meta({ description: "What is logged", allowed: logLevels.join(", ") }),
};

const workerSettings = {
  PARSER_WORKERS: integerSetting(
    { min: 1, max: 256, fallback: cores },
    "Documents parsed at once, each in a process of its own; the default is the number of cores",
  ),
  PARSER_QUEUE_LENGTH: integerSetting(
    { min: 0, max: 100_000, fallback: 64 },
    "Documents that may wait beyond those parsed",
  ),
  PARSER_WORKER_MEMORY_MIB: integerSetting(
    { min: 128, max: 262_144, fallback: 1024 },
    "Memory one document may use; enforced by the kernel where it can be",
  ),
  PARSER_WORKER_DOCUMENTS: integerSetting(
    { min: 1, max: 1_000_000, fallback: 1_000 },
    "Documents after which a worker process is replaced",
  ),
  PARSER_ISOLATION: z.enum(["auto", "process", "bubblewrap"]).default("auto").meta({
    description: "Least isolation of workers; the service does not start below it, and `auto` takes the best there is",
    allowed: "auto, process, bubblewrap",
  }),
};

const limitSettings = {
  PARSER_MAX_FILE_MIB: integerSetting({ min: 1, max: 2047, fallback: 256 }, "Largest file fetched"),
  PARSER_TIMEOUT_MS: integerSetting(
    { min: 100, max: 3_600_000, fallback: 120_000 },
    "Wall-clock time to parse one document; the override timeout_ms may lower it",
  ),
  PARSER_FETCH_TIMEOUT_MS: integerSetting(
    { min: 100, max: 3_600_000, fallback: 120_000 },
    "Wall-clock time to fetch one file",
  ),
  PARSER_MAX_OUTPUT_MIB: integerSetting({ min: 1, max: 511, fallback: 64 }, "Largest text of one document"),
  PARSER_MAX_PAGES: integerSetting(
    { min: 1, max: 1_000_000, fallback: 5000 },
    "Pages, slides, sheets or messages read of one document",
  ),
  PARSER_MAX_ARCHIVE_ENTRIES: integerSetting(
    { min: 1, max: 1_000_000, fallback: 10_000 },
    "Members of all archives inside one document",
  ),
  PARSER_MAX_ARCHIVE_DEPTH: integerSetting({ min: 0, max: 10, fallback: 4 }, "Files inside files inside files"),
  PARSER_MAX_EXPANDED_MIB: integerSetting({ min: 1, max: 65_536, fallback: 512 }, "Bytes one document may expand to"),
  PARSER_MAX_ENTRY_MIB: integerSetting(
    { min: 1, max: 65_536, fallback: 256 },
    "Bytes one member of an archive may expand to",
  ),
  PARSER_MAX_MARKUP_DEPTH: integerSetting(
    { min: 16, max: 10_000, fallback: 256 },
    "Elements inside one another in XML and HTML",
  ),
  PARSER_MAX_TABLE_CELLS: integerSetting(
    { min: 1, max: 100_000_000, fallback: 5_000_000 },
    "Cells of all tables of one document",
  ),
  PARSER_MAX_BLOCKS: integerSetting(
    { min: 1, max: 100_000_000, fallback: 2_000_000 },
    "Blocks of text of one document",
  ),
  PARSER_MAX_IMAGE_MEGAPIXELS: integerSetting(
    { min: 1, max: 10_000, fallback: 100 },
    "Size of one image that is decoded",
  ),
};

const fetchSettings = {
  PARSER_FILE_ROOTS: listSetting("Folders that file:// URLs may read from; none by default"),
  PARSER_FILE_HARD_LINKS: flagSetting(
    false,
    "Whether files with several names (hard links) are read; another of their names may lie outside the folders",
  ),
  PARSER_ALLOWED_HOSTS: listSetting(
    "Private targets that http(s) may reach all the same: host, host:port, *.suffix, CIDR, CIDR:port",
  ),
  PARSER_S3_BUCKETS: listSetting("Buckets that s3:// URLs may read from; none by default"),
  PARSER_S3_ENDPOINT: urlSetting("URL of an S3 server other than AWS, for example MinIO"),
  PARSER_S3_REGION: z.string().default("us-east-1").meta({ description: "Region of the S3 server", allowed: "text" }),
  PARSER_S3_ACCESS_KEY_ID: textSetting("Access key of S3; without it the standard AWS credential chain is used"),
  PARSER_S3_SECRET_ACCESS_KEY: secretSetting("Secret key of S3"),
  PARSER_WORK_DIR: z.string().default(join(tmpdir(), "docparser")).meta({
    description: "Folder for files while they are parsed; the default lies in the system's temporary folder",
    allowed: "path",
  }),
};

/** Settings of all engines, each declared by its engine. */
const engineSettings: z.ZodRawShape = Object.assign(
  {},
  ...Object.values(engineModules).map(({ settings }) => settings),
);

/** Every setting, by concern, for the reference page and `.env.example`. */
export const settingGroups: Readonly<Record<string, z.ZodRawShape>> = {
  Server: serverSettings,
  Workers: workerSettings,
  Limits: limitSettings,
  Fetching: fetchSettings,
  Engines: engineSettings,
};

const ownSettings = { ...serverSettings, ...workerSettings, ...limitSettings, ...fetchSettings };
type OwnSettings = z.infer<z.ZodObject<typeof ownSettings>>;
export type ParserConfig = ReturnType<typeof loadConfig>;

/**
 * The configuration as nested values; pure.
 * @throws ConfigError with all faults at once.
 */
export function loadConfig(environment: Environment) {
  const shape = { ...ownSettings, ...engineSettings };
  const all: Record<string, unknown> = loadSettings(shape, environment, "PARSER_");
  const own = all as OwnSettings;
  return {
    logLevel: own.PARSER_LOG_LEVEL,
    server: toServer(own),
    metrics: { host: own.PARSER_HOST, port: own.PARSER_METRICS_PORT },
    workers: toWorkers(own),
    fetch: toFetch(own),
    limits: toLimits(own),
    /** Values of the engines' settings, by key. */
    engines: all,
  } as const;
}

function toServer(own: OwnSettings) {
  return {
    host: own.PARSER_HOST,
    port: own.PARSER_PORT,
    token: own.PARSER_TOKEN,
    tls: toTls(own),
    hasReflection: own.PARSER_REFLECTION,
    maxRequestBytes: own.PARSER_MAX_REQUEST_MIB * mib,
    maxResponseBytes: (own.PARSER_MAX_OUTPUT_MIB + 1) * mib,
    receiveTimeoutMs: own.PARSER_RECEIVE_TIMEOUT_MS,
    drainTimeoutMs: own.PARSER_DRAIN_TIMEOUT_MS,
  };
}

// A service that was meant to speak TLS must not speak without it because half of the pair is missing.
function toTls(own: OwnSettings) {
  const { PARSER_TLS_CERT_PATH: cert, PARSER_TLS_KEY_PATH: key, PARSER_TLS_CLIENT_CA_PATH: clientAuthority } = own;
  if (cert === undefined && key === undefined && clientAuthority === undefined) return undefined;
  const missing = [
    ...(cert === undefined ? ["PARSER_TLS_CERT_PATH: TLS needs it"] : []),
    ...(key === undefined ? ["PARSER_TLS_KEY_PATH: TLS needs it"] : []),
  ];
  if (cert === undefined || key === undefined) throw new ConfigError(missing);
  return { certificatePath: cert, keyPath: key, clientAuthorityPath: clientAuthority };
}

function toWorkers(own: OwnSettings) {
  return {
    count: own.PARSER_WORKERS,
    queueLength: own.PARSER_QUEUE_LENGTH,
    memoryMib: own.PARSER_WORKER_MEMORY_MIB,
    documents: own.PARSER_WORKER_DOCUMENTS,
    isolation: own.PARSER_ISOLATION,
    /** Whether workers are made ready for the first document, which pays when more follow. */
    isWarm: true,
  };
}

function toFetch(own: OwnSettings) {
  return {
    timeoutMs: own.PARSER_FETCH_TIMEOUT_MS,
    maxBytes: own.PARSER_MAX_FILE_MIB * mib,
    workDirectory: own.PARSER_WORK_DIR,
    fileRoots: own.PARSER_FILE_ROOTS,
    isHardLinkAllowed: own.PARSER_FILE_HARD_LINKS,
    allowedHosts: toAllowedHosts(own.PARSER_ALLOWED_HOSTS),
    s3: {
      buckets: own.PARSER_S3_BUCKETS,
      endpoint: own.PARSER_S3_ENDPOINT,
      region: own.PARSER_S3_REGION,
      accessKeyId: own.PARSER_S3_ACCESS_KEY_ID,
      secretAccessKey: own.PARSER_S3_SECRET_ACCESS_KEY,
    },
  };
}

function toAllowedHosts(entries: readonly string[]): readonly string[] {
  try {
    parseAllowList(entries);
    return entries;
  } catch (error) {
    throw new ConfigError([`PARSER_ALLOWED_HOSTS: ${error instanceof Error ? error.message : "not a list of hosts"}`]);
  }
}

function toLimits(own: OwnSettings): DocumentLimits {
  return {
    maxPages: own.PARSER_MAX_PAGES,
    maxArchiveEntries: own.PARSER_MAX_ARCHIVE_ENTRIES,
    maxExpandedBytes: own.PARSER_MAX_EXPANDED_MIB * mib,
    maxEntryBytes: own.PARSER_MAX_ENTRY_MIB * mib,
    maxArchiveDepth: own.PARSER_MAX_ARCHIVE_DEPTH,
    maxMarkupDepth: own.PARSER_MAX_MARKUP_DEPTH,
    maxTableCells: own.PARSER_MAX_TABLE_CELLS,
    maxBlocks: own.PARSER_MAX_BLOCKS,
    maxImagePixels: own.PARSER_MAX_IMAGE_MEGAPIXELS * 1_000_000,
    maxOutputBytes: own.PARSER_MAX_OUTPUT_MIB * mib,
    timeoutMs: own.PARSER_TIMEOUT_MS,
  };
}
