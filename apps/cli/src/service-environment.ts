import type { Environment } from "@attune/service-kit/load-config.ts";
import type { CliConfig } from "./config.ts";
import { dataFolderAt } from "./data-folder.ts";
import { parserOrigin } from "./service-addresses.ts";

export interface ServiceRequest {
  readonly config: CliConfig;
  /** The environment that the services are to have beside what is set here. */
  readonly environment: Environment;
  readonly databaseUrl: string;
}

/** The environment of every program of the installation. */
export function serviceEnvironment({ config, environment, databaseUrl }: ServiceRequest): Environment {
  return {
    ...environment,
    ATTUNE_DATA_DIR: config.dataFolder,
    DATABASE_URL: databaseUrl,
    DATABASE_URL_FILE: undefined,
    PLATFORM_HOST: config.host,
    PLATFORM_PORT: String(config.port),
    PARSER_PORT: String(config.parserPort),
    NODE_AGENT_PORT: String(config.nodePort),
    NODE_AGENT_DATA_DIR: environment["NODE_AGENT_DATA_DIR"] || dataFolderAt(config.dataFolder).node,
    NODE_AGENT_TOKEN_FILE: nodeTokenFile(config, environment),
    NODE_AGENT_PYTHON_SETUP: environment["NODE_AGENT_PYTHON_SETUP"] || "on-demand",
    PLATFORM_PARSER_URL: environment["PLATFORM_PARSER_URL"] || parserOrigin(config, environment),
  };
}

/** The file with the node agent's token; undefined where its setting holds the token itself. */
export function nodeTokenFile({ dataFolder }: CliConfig, environment: Environment): string | undefined {
  if (environment["NODE_AGENT_TOKEN"]) return undefined;
  return environment["NODE_AGENT_TOKEN_FILE"] || dataFolderAt(dataFolder).nodeToken;
}
