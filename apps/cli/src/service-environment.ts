import type { Environment } from "@attune/service-kit/load-config.ts";
import type { CliConfig } from "./config.ts";
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
    PLATFORM_PARSER_URL: environment["PLATFORM_PARSER_URL"] || parserOrigin(config, environment),
  };
}
