import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findDatabaseUrl } from "@attune/service-kit/postgres/find-database-url.ts";
import { findServerBinaries } from "@attune/service-kit/postgres/server-binaries.ts";
import { runProgramForOutput } from "../run-program.ts";
import type { Check } from "./check.ts";

/** Whether the embedded database can run here on what lies in its folder. @param folder that of the embedded server */
export async function checkEmbeddedDatabase(folder: string, signal: AbortSignal): Promise<Check> {
  try {
    const { postgres } = findServerBinaries();
    const output = await runProgramForOutput(postgres, ["--version"], signal);
    const version = /\d+(?:\.\d+)*/.exec(output)?.[0];
    if (version === undefined) throw new Error(`${postgres} does not tell its version.`);
    return judgeCluster(folder, version, findDatabaseUrl(folder) !== undefined);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const remedy = "Run `npm ci`, or set DATABASE_URL to a PostgreSQL server of your own.";
    return { state: "fail", text: `The embedded PostgreSQL cannot run: ${text}`, remedy };
  }
}

/** Compares the version that made the database with the one that is installed. */
export function judgeCluster(folder: string, version: string, isRunning: boolean): Check {
  const file = join(folder, "cluster/PG_VERSION");
  if (!existsSync(file)) {
    return {
      state: "ok",
      text: `There is no embedded database in ${folder} yet; PostgreSQL ${version} will make one.`,
    };
  }
  const made = readFileSync(file, "utf8").trim();
  if (made === version.split(".")[0]) {
    const state = isRunning ? "runs" : "is not running";
    return { state: "ok", text: `The embedded database in ${folder} ${state}, PostgreSQL ${version}.` };
  }
  return {
    state: "fail",
    text: `The database in ${folder} is of PostgreSQL ${made}, and PostgreSQL ${version} is installed.`,
    remedy: "Start it with the version of Attune that made it, dump it with pg_dump, and load it into the new one.",
  };
}
