import { logLevels } from "@attune/service-kit/create-logger.ts";
import {
  type Environment,
  flagSetting,
  integerSetting,
  loadSettings,
  urlSetting,
} from "@attune/service-kit/load-config.ts";
import * as z from "zod";
import { eventSettings, toEventRetention, toEventStreamSettings } from "./features/events/event-settings.ts";
import { jobSettings, toJobSettings } from "./features/jobs/job-settings.ts";
import { modelApiSettings, toModelApiSettings } from "./infra/model-api/model-api-settings.ts";
import { oidcSettings, toOidcSettings } from "./infra/oidc/oidc-settings.ts";
import { secretSettings, toSecretKeySource } from "./infra/secrets/secret-settings.ts";
import { storageSettings, toStoragePolicy, toStorageValues } from "./infra/storage/storage-settings.ts";

const serverSettings = {
  PLATFORM_HOST: z
    .string()
    .default("127.0.0.1")
    .meta({ description: "Address the platform listens on", allowed: "IP address or host name" }),
  PLATFORM_PORT: integerSetting({ min: 0, max: 65_535, fallback: 8080 }, "Port of the platform; 0 takes any free one"),
  PLATFORM_METRICS_PORT: integerSetting(
    { min: 0, max: 65_535, fallback: 0 },
    "Port of Prometheus metrics at /metrics, on PLATFORM_HOST; 0 serves none",
  ),
  PLATFORM_PARSER_URL: urlSetting("Parser; without it documents cannot be parsed, and `npm start` sets it to its own"),
  PLATFORM_BEHIND_PROXY: flagSetting(
    false,
    "Whether a proxy stands before it whose X-Forwarded-For and X-Forwarded-Proto are believed",
  ),
  PLATFORM_SECURE_COOKIES: flagSetting(
    false,
    "Whether browsers reach it over TLS only, so that cookies travel over TLS only",
  ),
  PLATFORM_MAX_BODY_KIB: integerSetting({ min: 64, max: 65_536, fallback: 1024 }, "Largest JSON body of a request"),
  PLATFORM_RATE_PER_SECOND: integerSetting(
    { min: 1, max: 100_000, fallback: 100 },
    "Requests a second that one user may make of one node in the long run; an address four times as many",
  ),
  PLATFORM_DRAIN_TIMEOUT_MS: integerSetting(
    { min: 0, max: 600_000, fallback: 10_000 },
    "Time for requests under way to end after SIGTERM",
  ),
  PLATFORM_UPLOAD_MAX_GIB: integerSetting(
    { min: 1, max: 8192, fallback: 100 },
    "Largest file of a dataset that is uploaded in pieces",
  ),
  PLATFORM_UPLOADS_PER_USER: integerSetting(
    { min: 1, max: 10_000, fallback: 50 },
    "Unfinished uploads that one user may have in a tenant",
  ),
  PLATFORM_LOG_LEVEL: z
    .enum(logLevels)
    .default("info")
    .meta({ description: "What is logged", allowed: logLevels.join(", ") }),
};

const databaseSettings = {
  DATABASE_URL: z
    .string()
    .refine((url) => /^postgres(?:ql)?:\/\//.test(url), {
      error: "must be a URL such as postgres://user@host/database",
    })
    .meta({
      description: "The PostgreSQL database, of version 15 or newer; `npm start` brings its own",
      allowed: "URL",
      secret: true,
    }),
  PLATFORM_DATABASE_CONNECT_TIMEOUT_MS: integerSetting(
    { min: 100, max: 120_000, fallback: 5000 },
    "Time to get a connection to the database",
  ),
  PLATFORM_DATABASE_STATEMENT_TIMEOUT_MS: integerSetting(
    { min: 100, max: 600_000, fallback: 30_000 },
    "Time that one statement may take",
  ),
  PLATFORM_DATABASE_CONNECTIONS: integerSetting(
    { min: 2, max: 200, fallback: 20 },
    "Connections that one node keeps to the database",
  ),
};

const identitySettings = {
  PLATFORM_ADMIN_EMAIL: z
    .email()
    .default("admin@attune.local")
    .meta({ description: "Address of the first administrator, made at the first start", allowed: "e-mail address" }),
  PLATFORM_SESSION_HOURS: integerSetting({ min: 1, max: 8760, fallback: 72 }, "How long one stays signed in"),
};

/** Every key of the environment that the platform reads. */
export const platformSettings = {
  ...serverSettings,
  ...databaseSettings,
  ...identitySettings,
  ...oidcSettings,
  ...storageSettings,
  ...secretSettings,
  ...modelApiSettings,
  ...jobSettings,
  ...eventSettings,
};

export type PlatformConfig = ReturnType<typeof loadConfig>;

/** @throws ConfigError naming every fault at once. */
export function loadConfig(environment: Environment) {
  const settings = loadSettings(platformSettings, environment, "PLATFORM_");
  return {
    logLevel: settings.PLATFORM_LOG_LEVEL,
    host: settings.PLATFORM_HOST,
    port: settings.PLATFORM_PORT,
    metricsPort: settings.PLATFORM_METRICS_PORT,
    parserUrl: settings.PLATFORM_PARSER_URL,
    drainTimeoutMs: settings.PLATFORM_DRAIN_TIMEOUT_MS,
    isBehindProxy: settings.PLATFORM_BEHIND_PROXY,
    rate: { perSecond: settings.PLATFORM_RATE_PER_SECOND, burst: settings.PLATFORM_RATE_PER_SECOND * 4 },
    isSecure: settings.PLATFORM_SECURE_COOKIES,
    maxBodyBytes: settings.PLATFORM_MAX_BODY_KIB * 1024,
    database: {
      url: settings.DATABASE_URL,
      connectTimeoutMs: settings.PLATFORM_DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: settings.PLATFORM_DATABASE_STATEMENT_TIMEOUT_MS,
      maxConnections: settings.PLATFORM_DATABASE_CONNECTIONS,
    },
    identity: {
      adminEmail: settings.PLATFORM_ADMIN_EMAIL.toLowerCase(),
      sessionLifeMs: settings.PLATFORM_SESSION_HOURS * 3_600_000,
    },
    oidc: toOidcSettings(settings),
    secretKeys: toSecretKeySource(settings, settings.ATTUNE_DATA_DIR),
    modelApi: toModelApiSettings(settings),
    storage: toStorageValues(
      settings,
      settings.PLATFORM_PUBLIC_URL ?? `http://${settings.PLATFORM_HOST}:${settings.PLATFORM_PORT}`,
    ),
    storagePolicy: toStoragePolicy(settings),
    jobs: toJobSettings(settings),
    trashDays: settings.PLATFORM_TRASH_DAYS,
    eventRetention: toEventRetention(settings),
    eventStreams: toEventStreamSettings(settings),
    uploads: {
      maxBytes: settings.PLATFORM_UPLOAD_MAX_GIB * 2 ** 30,
      maxOpen: settings.PLATFORM_UPLOADS_PER_USER,
      leaseMs: settings.PLATFORM_STORAGE_LEASE_SECONDS * 1000,
      unfinishedMs: settings.PLATFORM_STORAGE_UNFINISHED_HOURS * 3_600_000,
      stallMs: 60_000,
    },
  } as const;
}
