import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiClient, createClient } from "@attune/contracts/rest/create-client.ts";
import { changePassword, signIn } from "@attune/contracts/rest/identity.ts";
import { startEmbeddedPostgres } from "@attune/service-kit/postgres/start-embedded-postgres.ts";

const main = join(import.meta.dirname, "../../apps/platform/src/main.ts");
const work = join(import.meta.dirname, "../../.work");

export interface ServedPlatform extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly client: ApiClient;
  /** From now on. */
  forgetPeak(): void;
  /** The most memory that the process of the platform had resident, in MiB. */
  peakMib(): number;
  /** Seconds of CPU that it has used. */
  cpuSeconds(): number;
}

/**
 * The platform as a program of its own, as `npm start` runs it: an embedded PostgreSQL with its usual settings, which waits for
 * the disk, and objects in a folder. All is new, and removed in the end.
 */
export async function servePlatform(): Promise<ServedPlatform> {
  const folder = mkdtempSync(join(work, "bench-platform-"));
  const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
  const environment = {
    PATH: process.env["PATH"],
    DATABASE_URL: postgres.url,
    ATTUNE_DATA_DIR: folder,
    PLATFORM_PORT: "0",
    PLATFORM_LOG_LEVEL: "error",
    PLATFORM_RATE_PER_SECOND: "100000",
  };
  const { status, stderr } = spawnSync(process.execPath, [main, "migrate"], { env: environment, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const child = spawn(process.execPath, [main, "serve"], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const { url, email, password } = await readStart(child);
  const token = await enter(url, { email, password });
  const pid = child.pid ?? 0;
  return {
    url,
    token,
    client: createClient({ baseUrl: url, token: () => token }),
    // Linux: sets the highest mark to what is resident now.
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, "5"),
    peakMib: () => Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024),
    cpuSeconds: () => readCpuSeconds(pid),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      await postgres.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function readStart({ stdout }: ChildProcess): Promise<{ url: string; email: string; password: string }> {
  let output = "";
  return new Promise((resolve) => {
    stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [, email, password] = /First sign-in: (\S+) (\S+)/.exec(output) ?? [];
      const url = /^Attune on (http\S+)$/m.exec(output)?.[1];
      if (url !== undefined && email !== undefined && password !== undefined) resolve({ url, email, password });
    });
  });
}

async function enter(url: string, credentials: { readonly email: string; readonly password: string }): Promise<string> {
  const { token } = (await createClient({ baseUrl: url, token: () => undefined }).call(signIn, { body: credentials }))
    .body;
  const change = { current_password: credentials.password, new_password: "a bench's own password" };
  await createClient({ baseUrl: url, token: () => token }).call(changePassword, { body: change });
  return token;
}

function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
