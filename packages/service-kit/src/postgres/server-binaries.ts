import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { EmbeddedPostgresError, useOwnServer } from "./embedded-postgres-error.ts";

export interface ServerBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

// On Windows the packages exist, but Node cannot speak to the unix socket that is the server's only door.
const packages: Readonly<Record<string, string>> = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
};

/**
 * Finds the programs of PostgreSQL that npm installed, and makes them ready to run.
 * @throws EmbeddedPostgresError when there are none for this machine.
 */
export function findServerBinaries(machine = `${process.platform}-${process.arch}`): ServerBinaries {
  const name = packages[machine];
  if (name === undefined) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${machine}.`,
      "Set DATABASE_URL to a PostgreSQL server of your own.",
    );
  }
  const native = findNativeFolder(`@embedded-postgres/${name}`);
  linkLibraries(native);
  return { initdb: join(native, "bin/initdb"), postgres: join(native, "bin/postgres") };
}

function findNativeFolder(packageName: string): string {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(packageName))), "../native");
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The npm package ${packageName} is not installed.`,
      `Run npm ci, without --omit=optional. ${useOwnServer}`,
      cause,
    );
  }
}

// npm packages hold no symbolic links. The package makes them in a script after its installation, which --ignore-scripts
// leaves out; without them the server does not find its libraries.
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as LibraryLink[]) {
    const path = join(native, "..", target);
    if (!existsSync(path)) makeLink(relative(dirname(path), join(native, "..", source)), path);
  }
}

/** Paths relative to the package. */
interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

function makeLink(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (cause) {
    if (existsSync(path)) return; // another process was quicker
    throw new EmbeddedPostgresError(
      `The library ${path} cannot be linked.`,
      "Make the folder writable once, or run npm ci with scripts.",
      cause,
    );
  }
}
