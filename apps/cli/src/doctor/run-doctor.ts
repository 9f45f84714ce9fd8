import { readFileSync } from "node:fs";
import type { Environment } from "@attune/service-kit/load-config.ts";
import { findDatabaseUrl } from "@attune/service-kit/postgres/find-database-url.ts";
import type { CliConfig } from "../config.ts";
import { type DataFolder, dataFolderAt } from "../data-folder.ts";
import { programs } from "../repository.ts";
import { runProgram } from "../run-program.ts";
import { nodeAgentOrigin, parserOrigin, platformOrigin } from "../service-addresses.ts";
import { nodeTokenFile, serviceEnvironment } from "../service-environment.ts";
import { findLockPid } from "@attune/service-kit/instance-lock.ts";
import { type Check, printCheck } from "./check.ts";
import { checkDatabase } from "./check-database.ts";
import { checkEmbeddedDatabase } from "./check-embedded-database.ts";
import { checkMachine, checkPorts } from "./check-machine.ts";
import { checkNodeAgent } from "./check-node-agent.ts";
import { checkParser } from "./check-parser.ts";
import { checkPlatform } from "./check-platform.ts";

export interface DoctorRequest {
  readonly config: CliConfig;
  readonly environment: Environment;
  readonly write: (line: string) => void;
}

/** Writes one line for each check. @returns whether nothing failed. */
export async function runDoctor(request: DoctorRequest, signal: AbortSignal): Promise<boolean> {
  const { config, environment, write } = request;
  let isWell = true;
  const tell = (...checks: readonly Check[]): void => {
    for (const check of checks) write(printCheck(check));
    isWell &&= !checks.some(({ state }) => state === "fail");
  };
  const data = dataFolderAt(config.dataFolder);
  const pid = findLockPid(data.lock);
  tell(...checkMachine(config));
  if (pid === undefined) tell(...(await checkPorts(config, 0)));
  isWell = (await checkStored(request, { data, tell }, signal)) && isWell;
  if (pid === undefined) {
    tell({ state: "warn", text: "Attune is not running.", remedy: "Start it with `npm start`." });
    return isWell;
  }
  tell({ state: "ok", text: `Attune is running, process ${pid}.` });
  tell(await checkParser(parserOrigin(config, environment)), await checkPlatform(platformOrigin(config)));
  tell(...(await checkNodeAgent(nodeAgentOrigin(config, environment), readNodeToken(config, environment))));
  return isWell;
}

/** Undefined where there is none; the agent then says that it needs one. */
function readNodeToken(config: CliConfig, environment: Environment): string | undefined {
  const file = nodeTokenFile(config, environment);
  if (file === undefined) return environment["NODE_AGENT_TOKEN"];
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

interface Report {
  readonly data: DataFolder;
  readonly tell: (...checks: readonly Check[]) => void;
}

/** The database, and the object store where the database can tell what must be there. */
async function checkStored(
  { config, environment, write }: DoctorRequest,
  { data, tell }: Report,
  signal: AbortSignal,
): Promise<boolean> {
  if (config.databaseUrl === undefined) tell(await checkEmbeddedDatabase(data.database, signal));
  const databaseUrl = config.databaseUrl?.reveal() ?? findDatabaseUrl(data.database);
  if (databaseUrl === undefined) return true;
  const found = await checkDatabase(databaseUrl);
  tell(...found);
  if (found.some(({ state }) => state !== "ok")) return true;
  const args = [programs.platform, "check-store"];
  const program = {
    name: "",
    arguments: args,
    environment: serviceEnvironment({ config, environment, databaseUrl }),
    write,
  };
  return (await runProgram(program, signal)) === 0;
}
