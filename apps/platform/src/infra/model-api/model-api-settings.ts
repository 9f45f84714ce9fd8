import { readFileSync } from "node:fs";
import { ConfigError, flagSetting, integerSetting, textSetting } from "@attune/service-kit/load-config.ts";
import type * as z from "zod";

/** How the platform calls model APIs. Times are in ms. */
export interface ModelApiSettings {
  /** Refuses private and loopback addresses too; those of cloud metadata services are always refused. */
  readonly denyPrivate: boolean;
  /** Certificate authorities in PEM that count beside those of the system. */
  readonly extraCaPem?: string;
  /** Longest wait for a connection, name resolution and TLS included. */
  readonly connectTimeoutMs: number;
  /**
   * Longest wait for the first byte of a streamed answer, of embeddings and of lists. A whole chat answer comes when all of it
   * is generated, so only the total time bounds it.
   */
  readonly firstByteTimeoutMs: number;
  /** Longest silence inside an answer. */
  readonly idleTimeoutMs: number;
  /** Longest call, its retries included, its wait for a free place not. */
  readonly totalTimeoutMs: number;
  /** Most bytes of one answer. */
  readonly maxAnswerBytes: number;
  /** Requests for one call, the first included. */
  readonly maxAttempts: number;
  /** A retry waits a random time up to this, doubled for each further one. */
  readonly retryBaseMs: number;
  /** Longest wait before one retry; an API that asks for a longer one is not waited for. */
  readonly retryMaxMs: number;
  /** Requests to one API at a time, unless the model says otherwise. */
  readonly maxConcurrency: number;
  /** Texts of one request for embeddings. */
  readonly embeddingBatch: number;
}

export const defaultModelApiSettings: ModelApiSettings = {
  denyPrivate: false,
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 120_000,
  idleTimeoutMs: 60_000,
  totalTimeoutMs: 600_000,
  maxAnswerBytes: 32 * 1024 * 1024,
  maxAttempts: 4,
  retryBaseMs: 500,
  retryMaxMs: 60_000,
  maxConcurrency: 8,
  embeddingBatch: 64,
};

/** Keys of the environment that say how the platform calls model APIs. */
export const modelApiSettings = {
  PLATFORM_MODEL_API_DENY_PRIVATE: flagSetting(
    false,
    "Whether api_url may lead to public addresses only; cloud metadata addresses are refused in any case",
  ),
  PLATFORM_MODEL_API_CA_FILE: textSetting("File of certificate authorities in PEM that model APIs may have, too"),
  PLATFORM_MODEL_API_CONNECT_TIMEOUT_MS: integerSetting(
    { min: 100, max: 120_000, fallback: defaultModelApiSettings.connectTimeoutMs },
    "Time to connect to a model API",
  ),
  PLATFORM_MODEL_API_FIRST_BYTE_TIMEOUT_MS: integerSetting(
    { min: 100, max: 3_600_000, fallback: defaultModelApiSettings.firstByteTimeoutMs },
    "Time until the first byte of a streamed answer of a model API, of embeddings and of lists",
  ),
  PLATFORM_MODEL_API_IDLE_TIMEOUT_MS: integerSetting(
    { min: 100, max: 3_600_000, fallback: defaultModelApiSettings.idleTimeoutMs },
    "Longest silence inside an answer of a model API",
  ),
  PLATFORM_MODEL_API_TOTAL_TIMEOUT_MS: integerSetting(
    { min: 100, max: 86_400_000, fallback: defaultModelApiSettings.totalTimeoutMs },
    "Time for one call of a model API, its retries included",
  ),
  PLATFORM_MODEL_API_MAX_ANSWER_BYTES: integerSetting(
    { min: 65_536, max: 1_073_741_824, fallback: defaultModelApiSettings.maxAnswerBytes },
    "Largest answer of a model API, in bytes",
  ),
  PLATFORM_MODEL_API_CONCURRENCY: integerSetting(
    { min: 1, max: 1000, fallback: defaultModelApiSettings.maxConcurrency },
    "Requests to one model API at a time, unless its model says otherwise",
  ),
};

type Settings = z.infer<z.ZodObject<typeof modelApiSettings>>;

/** @throws ConfigError when the file of authorities cannot be read. */
export function toModelApiSettings(settings: Settings): ModelApiSettings {
  const { PLATFORM_MODEL_API_CA_FILE: caFile } = settings;
  return {
    ...defaultModelApiSettings,
    denyPrivate: settings.PLATFORM_MODEL_API_DENY_PRIVATE,
    ...(caFile !== undefined && { extraCaPem: readAuthorities(caFile) }),
    connectTimeoutMs: settings.PLATFORM_MODEL_API_CONNECT_TIMEOUT_MS,
    firstByteTimeoutMs: settings.PLATFORM_MODEL_API_FIRST_BYTE_TIMEOUT_MS,
    idleTimeoutMs: settings.PLATFORM_MODEL_API_IDLE_TIMEOUT_MS,
    totalTimeoutMs: settings.PLATFORM_MODEL_API_TOTAL_TIMEOUT_MS,
    maxAnswerBytes: settings.PLATFORM_MODEL_API_MAX_ANSWER_BYTES,
    maxConcurrency: settings.PLATFORM_MODEL_API_CONCURRENCY,
  };
}

function readAuthorities(path: string): string {
  try {
    const pem = readFileSync(path, "utf8");
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  } catch {
    throw new ConfigError(["PLATFORM_MODEL_API_CA_FILE: the file cannot be read"]);
  }
  throw new ConfigError(["PLATFORM_MODEL_API_CA_FILE: the file holds no certificate in PEM"]);
}
