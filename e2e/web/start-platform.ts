import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "@attune/testkit/test-database.ts";

const main = join(import.meta.dirname, "../../apps/platform/src/main.ts");
/** Far more than a start takes, so that only one that hangs fails. */
const startTimeoutMs = 150_000;

export interface ServedPlatform extends AsyncDisposable {
  readonly url: string;
  readonly email: string;
  readonly firstPassword: string;
}

/** The platform as a program of its own, with a database and a data folder of its own. */
export async function startPlatform(): Promise<ServedPlatform> {
  const database = await createTestDatabase();
  const dataFolder = mkdtempSync(join(tmpdir(), "attune-web-data-"));
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: database.url,
    ATTUNE_DATA_DIR: dataFolder,
    PLATFORM_PORT: "0",
    PLATFORM_LOG_LEVEL: "warn",
  };
  const migration = spawnSync(process.execPath, [main, "migrate"], { env, encoding: "utf8", timeout: startTimeoutMs });
  if (migration.status !== 0) throw new Error(`The database cannot be migrated:\n${migration.stderr}`);
  const child = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await database.drop();
    rmSync(dataFolder, { recursive: true, force: true });
  };
  try {
    const output = await readUntil(child, / on (http\S+)/);
    const [, email = "", firstPassword = ""] = /First sign-in: (\S+) (\S+)/.exec(output) ?? [];
    const url = / on (http\S+)/.exec(output)?.[1] ?? "";
    return { url, email, firstPassword, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function readUntil(child: ReturnType<typeof spawn>, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => reject(new Error(`The platform does not start:\n${output}`)), startTimeoutMs);
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (!wanted.test(output)) return;
      clearTimeout(timer);
      resolve(output);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`The platform ended with ${code}:\n${output}`));
    });
  });
}
