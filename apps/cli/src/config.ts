import { resolve } from "node:path";
import { type Environment, integerSetting, loadSettings, secretSetting } from "@attune/service-kit/load-config.ts";
import * as z from "zod";

const startSettings = {
  ATTUNE_DATA_DIR: z.string().default("data").meta({
    description: "Folder of all data: database, files, locks; a relative path begins at the repository",
    allowed: "path",
  }),
  ATTUNE_HOST: z.string().default("127.0.0.1").meta({
    description: "Address the web app and the REST API listen on; PLATFORM_HOST when unset",
    allowed: "IP address or host name",
  }),
  ATTUNE_PORT: integerSetting(
    { min: 1, max: 65_535, fallback: 8080 },
    "Port of the web app and the REST API; PLATFORM_PORT when unset",
  ),
  ATTUNE_PARSER_PORT: integerSetting(
    { min: 1, max: 65_535, fallback: 50_051 },
    "Port of the parser; PARSER_PORT when unset",
  ),
  ATTUNE_NODE_PORT: integerSetting(
    { min: 1, max: 65_535, fallback: 8090 },
    "Port of the node agent, which runs training and models on this machine; NODE_AGENT_PORT when unset",
  ),
  DATABASE_URL: secretSetting(
    "URL of a PostgreSQL server, 15 or newer; without it a server of the program's own runs in the data folder",
  ),
};

/** Every setting of the command line, by concern, for the reference page and `.env.example`. */
export const settingGroups: Readonly<Record<string, z.ZodRawShape>> = { Start: startSettings };

export type CliConfig = ReturnType<typeof loadConfig>;

/**
 * The configuration as nested values; pure.
 * @param root the repository, where a relative data folder begins
 * @throws ConfigError with all faults at once.
 */
export function loadConfig(environment: Environment, root: string) {
  const own = loadSettings(startSettings, withServiceSettings(environment), "ATTUNE_");
  return {
    dataFolder: resolve(root, own.ATTUNE_DATA_DIR),
    host: own.ATTUNE_HOST,
    port: own.ATTUNE_PORT,
    parserPort: own.ATTUNE_PARSER_PORT,
    nodePort: own.ATTUNE_NODE_PORT,
    databaseUrl: own.DATABASE_URL,
  } as const;
}

// Whoever has set up a service to run alone need not say it again.
function withServiceSettings(environment: Environment): Environment {
  return {
    ...environment,
    ATTUNE_HOST: environment["ATTUNE_HOST"] || environment["PLATFORM_HOST"],
    ATTUNE_PORT: environment["ATTUNE_PORT"] || environment["PLATFORM_PORT"],
    ATTUNE_PARSER_PORT: environment["ATTUNE_PARSER_PORT"] || environment["PARSER_PORT"],
    ATTUNE_NODE_PORT: environment["ATTUNE_NODE_PORT"] || environment["NODE_AGENT_PORT"],
  };
}
