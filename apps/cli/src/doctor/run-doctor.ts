import { join } from "node:path";
import { findDatabaseUrl } from "@attune/service-kit/postgres/find-database-url.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import type { CliConfig } from "../config.ts";
import { dataFolderAt } from "../data-folder.ts";
import { findLockPid } from "../supervisor/instance-lock.ts";
import { type Check, printCheck } from "./check.ts";
import { checkDatabase } from "./check-database.ts";
import { checkMachine, checkPorts } from "./check-machine.ts";
import { checkParser } from "./check-parser.ts";
import { checkPlatform } from "./check-platform.ts";

export interface DoctorRequest {
  readonly config: CliConfig;
  readonly environment: Environment;
  readonly write: (line: string) => void;
}

/** Writes one line for each check. @returns whether nothing failed. */
export async function runDoctor({ config, environment, write }: DoctorRequest): Promise<boolean> {
  let isWell = true;
  const tell = (...checks: readonly Check[]): void => {
    for (const check of checks) write(printCheck(check));
    isWell &&= !checks.some(({ state }) => state === "fail");
  };
  const data = dataFolderAt(config.dataFolder);
  const pid = findLockPid(data.lock);
  tell(...checkMachine(config));
  if (pid === undefined) tell(...(await checkPorts(config, 0)));
  const url = config.databaseUrl?.reveal() ?? findDatabaseUrl(data.database);
  if (url === undefined) tell({ state: "ok", text: `The embedded database in ${join(data.database)} is not running.` });
  else tell(...(await checkDatabase(url)));
  if (pid === undefined) {
    tell({ state: "warn", text: "Attune is not running.", remedy: "Start it with `npm start`." });
    return isWell;
  }
  tell({ state: "ok", text: `Attune is running, process ${pid}.` });
  tell(await checkParser(parserOrigin(config, environment)), await checkPlatform(platformOrigin(config)));
  return isWell;
}

function parserOrigin({ parserPort }: CliConfig, environment: Environment): string {
  const scheme = environment["PARSER_TLS_CERT_PATH"] ? "https" : "http";
  return `${scheme}://${reachable(environment["PARSER_HOST"] || "127.0.0.1")}:${parserPort}`;
}

function platformOrigin({ host, port }: CliConfig): string {
  return `http://${reachable(host)}:${port}`;
}

// A service that listens on every address is asked on this machine's own.
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
