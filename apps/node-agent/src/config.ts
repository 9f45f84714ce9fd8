import { isIP } from "node:net";
import { isAbsolute, join, resolve } from "node:path";
import { logLevels } from "@attune/service-kit/create-logger.ts";
import {
  ConfigError,
  type Environment,
  integerSetting,
  loadSettings,
  secretSetting,
} from "@attune/service-kit/load-config.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import * as z from "zod";
import { cacheSettings, toCacheSettings } from "./cache/cache-settings.ts";
import { faultsOfGpuSettings, gpuSettings, toGpuSettings } from "./devices/gpu-settings.ts";
import { inferenceEngineSettings, toInferenceEngineSettings } from "./engines/inference-engine-settings.ts";
import { llamaFactorySettings, toLlamaFactorySettings } from "./llamafactory-settings.ts";
import { modelSettings, toModelSettings } from "./model-settings.ts";
import { pythonSettings, toPythonSettings } from "./python-settings.ts";
import { runSettings, toRunSettings } from "./runs/run-settings.ts";
import { schedulerSettings, toSchedulerSettings } from "./schedulers/scheduler-settings.ts";

const agentSettings = {
  NODE_AGENT_HOST: z.string().default("127.0.0.1").meta({
    description: "Address the agent listens on; any but a loopback address needs NODE_AGENT_TOKEN",
    allowed: "IP address or host name",
  }),
  NODE_AGENT_PORT: integerSetting({ min: 0, max: 65_535, fallback: 8090 }, "Port of the agent; 0 takes any free one"),
  NODE_AGENT_TOKEN: secretSetting(
    "At least 16 characters that callers send as bearer token; without it whoever reaches the port may do everything",
  ),
  NODE_AGENT_DATA_DIR: z.string().default("data/node").meta({
    description: "Folder of jobs, cache and logs, for one agent alone; checkpoints need room there",
    allowed: "path",
  }),
  NODE_AGENT_METRICS_PORT: integerSetting(
    { min: 0, max: 65_535, fallback: 0 },
    "Port on NODE_AGENT_HOST that serves /metrics without a token; 0: only the agent's own port does, with its token",
  ),
  NODE_AGENT_MAX_BODY_KIB: integerSetting({ min: 64, max: 65_536, fallback: 4096 }, "Largest body of a request"),
  NODE_AGENT_DRAIN_TIMEOUT_MS: integerSetting(
    { min: 0, max: 600_000, fallback: 10_000 },
    "Time for requests under way to end after SIGTERM",
  ),
  NODE_AGENT_LOG_LEVEL: z
    .enum(logLevels)
    .default("info")
    .meta({ description: "What is logged", allowed: logLevels.join(", ") }),
};

/** Every key of the environment that the agent reads, by concern. */
export const settingGroups = {
  Agent: agentSettings,
  Jobs: { ...runSettings, ...pythonSettings, ...llamaFactorySettings },
  Models: { ...modelSettings, ...inferenceEngineSettings },
  GPUs: gpuSettings,
  Cache: cacheSettings,
  Clusters: schedulerSettings,
} as const;

const allSettings = {
  ...agentSettings,
  ...runSettings,
  ...pythonSettings,
  ...llamaFactorySettings,
  ...modelSettings,
  ...inferenceEngineSettings,
  ...gpuSettings,
  ...cacheSettings,
  ...schedulerSettings,
};

export type AgentConfig = ReturnType<typeof loadConfig>;

/** @throws ConfigError naming every fault at once; also for an address that others reach, without a token. */
export function loadConfig(environment: Environment) {
  const settings = loadSettings(allSettings, environment, "NODE_AGENT_");
  const { NODE_AGENT_HOST: host, NODE_AGENT_TOKEN: token } = settings;
  const faults = [
    ...faultsOfToken(token),
    ...faultsOfHost(host, token),
    ...faultsOfRoots(settings),
    ...faultsOfGpuSettings(settings),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const allowedFolders = toAllowedFolders(settings);
  return {
    logLevel: settings.NODE_AGENT_LOG_LEVEL,
    host,
    port: settings.NODE_AGENT_PORT,
    metricsPort: settings.NODE_AGENT_METRICS_PORT,
    dataFolder: resolve(settings.NODE_AGENT_DATA_DIR),
    runs: { ...toRunSettings(settings), allowedFolders },
    python: toPythonSettings(settings),
    llamaFactory: toLlamaFactorySettings(settings),
    inference: { ...toModelSettings(settings), allowedFolders, engines: toInferenceEngineSettings(settings) },
    gpus: toGpuSettings(settings),
    cache: toCacheSettings(settings),
    schedulers: toSchedulerSettings(settings),
    cacheFolder: settings.NODE_AGENT_CACHE_DIR === undefined ? undefined : resolve(settings.NODE_AGENT_CACHE_DIR),
    server: {
      token,
      maxBodyBytes: settings.NODE_AGENT_MAX_BODY_KIB * 1024,
      drainTimeoutMs: settings.NODE_AGENT_DRAIN_TIMEOUT_MS,
    },
  } as const;
}

interface Places {
  readonly NODE_AGENT_DATA_DIR: string;
  readonly NODE_AGENT_CACHE_DIR?: string | undefined;
  readonly NODE_AGENT_MODEL_ROOTS: readonly string[];
}

const faultsOfRoots = ({ NODE_AGENT_MODEL_ROOTS: roots }: Places): string[] =>
  roots.filter((root) => !isAbsolute(root)).map((root) => `NODE_AGENT_MODEL_ROOTS: ${root} is no absolute path`);

/** What the node itself has prepared and trained may always be used. */
function toAllowedFolders({ NODE_AGENT_MODEL_ROOTS: roots, ...places }: Places): readonly string[] {
  if (roots.length === 0) return [];
  const data = resolve(places.NODE_AGENT_DATA_DIR);
  return [...roots, resolve(places.NODE_AGENT_CACHE_DIR ?? join(data, "cache")), join(data, "runs")];
}

const shortestToken = 16;

function faultsOfToken(token: Secret | undefined): string[] {
  if (token === undefined || token.reveal().length >= shortestToken) return [];
  return [
    `NODE_AGENT_TOKEN: must have at least ${shortestToken} characters, such as those of \`openssl rand -hex 24\``,
  ];
}

function faultsOfHost(host: string, token: Secret | undefined): string[] {
  if (token !== undefined || isLoopback(host)) return [];
  return [
    `NODE_AGENT_HOST: ${host} can be reached by others, who could then run programs here: set NODE_AGENT_TOKEN (\`openssl rand -hex 24\` makes one), or listen on 127.0.0.1`,
  ];
}

/** Whether only this machine reaches it. A name is believed for localhost alone: others may come to mean anything. */
function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}
