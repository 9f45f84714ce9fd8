import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  ConfigError,
  integerSetting,
  listSetting,
  secretSetting,
  textSetting,
  urlSetting,
} from "@attune/service-kit/load-config.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type * as z from "zod";
import { parseAllowedHosts } from "./download/allowed-hosts.ts";

/** How the cache fetches, and how much. Times are in ms. */
export interface CacheSettings {
  /** Folders of the node from which callers may have local models and data sets prepared. */
  readonly roots: readonly string[];
  /** Hosts that are not public and may be fetched from: `host`, `*.suffix`, an address, a CIDR range, each with `:port` or not. */
  readonly allowedHosts: readonly string[];
  /** What stands before `/api/models`; its addresses are trusted, those it redirects to are not. */
  readonly hubEndpoint: string;
  readonly hubToken: Secret | undefined;
  /** Certificate authorities in PEM that count beside those of the system. */
  readonly extraCaPem: string | undefined;
  /** Most files of one entry. */
  readonly maxFiles: number;
  /** Most bytes of one entry. */
  readonly maxEntryBytes: number;
  /** Entries that are prepared at once; the others wait. */
  readonly entriesAtOnce: number;
  /** Files of one entry that are fetched at once. */
  readonly filesAtOnce: number;
  /** Longest wait for a connection, name resolution and TLS included. */
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** Longest silence inside a body. */
  readonly idleTimeoutMs: number;
  /** Slowest body, over a minute of waiting. */
  readonly minRateBytesPerSecond: number;
  /** Requests in a row that bring next to nothing. */
  readonly maxAttempts: number;
  /** A retry waits a random time up to this, doubled for each further one. */
  readonly retryBaseMs: number;
  /** Longest wait before a retry; a server that asks for a longer one is not waited for. */
  readonly retryMaxMs: number;
  /** Age after which what is unfinished is removed. */
  readonly keepUnfinishedMs: number;
}

const gibibyte = 1024 ** 3;
const dayMs = 86_400_000;

export const defaultCacheSettings: CacheSettings = {
  roots: [],
  allowedHosts: [],
  hubEndpoint: "https://huggingface.co",
  hubToken: undefined,
  extraCaPem: undefined,
  maxFiles: 10_000,
  maxEntryBytes: 2048 * gibibyte,
  entriesAtOnce: 2,
  filesAtOnce: 4,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  minRateBytesPerSecond: 1024,
  maxAttempts: 6,
  retryBaseMs: 1000,
  retryMaxMs: 60_000,
  keepUnfinishedMs: 7 * dayMs,
};

/** Keys of the environment that say how the node's cache works. */
export const cacheSettings = {
  NODE_AGENT_CACHE_DIR: textSetting(
    "Folder of the cache; unset: `cache` in NODE_AGENT_DATA_DIR. Its own disk is a good idea",
  ),
  NODE_AGENT_CACHE_ROOTS: listSetting("Folders from which local models and data sets may be prepared; none unless set"),
  NODE_AGENT_CACHE_ALLOWED_HOSTS: listSetting(
    "Hosts that are not public and may be fetched from: host, *.suffix, address or range, each with :port or not",
  ),
  NODE_AGENT_HUB_ENDPOINT: urlSetting("The hub; unset: https://huggingface.co"),
  NODE_AGENT_HUB_TOKEN: secretSetting("Token for the hub, sent to it alone and not to where it redirects"),
  NODE_AGENT_CACHE_CA_FILE: textSetting("File of certificate authorities in PEM that sources may have, too"),
  NODE_AGENT_CACHE_MAX_FILES: integerSetting(
    { min: 1, max: 1_000_000, fallback: defaultCacheSettings.maxFiles },
    "Most files of one entry of the cache",
  ),
  NODE_AGENT_CACHE_MAX_GIB: integerSetting(
    { min: 1, max: 1_000_000, fallback: 2048 },
    "Most GiB of one entry of the cache",
  ),
  NODE_AGENT_CACHE_ENTRIES_AT_ONCE: integerSetting(
    { min: 1, max: 64, fallback: defaultCacheSettings.entriesAtOnce },
    "Entries that are prepared at once; others wait",
  ),
  NODE_AGENT_CACHE_FILES_AT_ONCE: integerSetting(
    { min: 1, max: 64, fallback: defaultCacheSettings.filesAtOnce },
    "Files of one entry that are fetched at once",
  ),
  NODE_AGENT_CACHE_IDLE_TIMEOUT_MS: integerSetting(
    { min: 100, max: 3_600_000, fallback: defaultCacheSettings.idleTimeoutMs },
    "Longest silence of a source inside a file",
  ),
  NODE_AGENT_CACHE_KEEP_UNFINISHED_DAYS: integerSetting(
    { min: 0, max: 3650, fallback: 7 },
    "Days after which the agent removes at its start what was never completed",
  ),
};

type Values = z.infer<z.ZodObject<typeof cacheSettings>>;

/** @throws ConfigError naming every fault that the form of the settings does not show. */
export function toCacheSettings(values: Values): CacheSettings {
  const faults = [...faultsOfRoots(values), ...faultsOfHosts(values)];
  const extraCaPem = readAuthorities(values.NODE_AGENT_CACHE_CA_FILE, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    ...defaultCacheSettings,
    roots: values.NODE_AGENT_CACHE_ROOTS,
    allowedHosts: values.NODE_AGENT_CACHE_ALLOWED_HOSTS,
    hubEndpoint: (values.NODE_AGENT_HUB_ENDPOINT ?? defaultCacheSettings.hubEndpoint).replace(/\/+$/, ""),
    hubToken: values.NODE_AGENT_HUB_TOKEN,
    extraCaPem,
    maxFiles: values.NODE_AGENT_CACHE_MAX_FILES,
    maxEntryBytes: values.NODE_AGENT_CACHE_MAX_GIB * gibibyte,
    entriesAtOnce: values.NODE_AGENT_CACHE_ENTRIES_AT_ONCE,
    filesAtOnce: values.NODE_AGENT_CACHE_FILES_AT_ONCE,
    idleTimeoutMs: values.NODE_AGENT_CACHE_IDLE_TIMEOUT_MS,
    keepUnfinishedMs: values.NODE_AGENT_CACHE_KEEP_UNFINISHED_DAYS * dayMs,
  };
}

function faultsOfRoots({ NODE_AGENT_CACHE_ROOTS: roots }: Values): string[] {
  const relative = roots.filter((root) => !isAbsolute(root));
  return relative.map((root) => `NODE_AGENT_CACHE_ROOTS: ${root} is no absolute path`);
}

function faultsOfHosts({ NODE_AGENT_CACHE_ALLOWED_HOSTS: hosts }: Values): string[] {
  try {
    parseAllowedHosts(hosts);
    return [];
  } catch (error) {
    return [`NODE_AGENT_CACHE_ALLOWED_HOSTS: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function readAuthorities(path: string | undefined, faults: string[]): string | undefined {
  if (path === undefined) return undefined;
  try {
    const pem = readFileSync(path, "utf8");
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
    faults.push("NODE_AGENT_CACHE_CA_FILE: the file holds no certificate in PEM");
  } catch {
    faults.push("NODE_AGENT_CACHE_CA_FILE: the file cannot be read");
  }
  return undefined;
}
