import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { descendantsOf, isAlive, until } from "@attune/testkit/processes.ts";

const root = join(import.meta.dirname, "../..");
const programs = join(root, "node_modules/.bin");
/** Far more than a start takes, so that only one that hangs fails. */
const startTimeoutMs = 150_000;

/** A data folder and ports of its own, and what is done with them. */
export interface Installation extends AsyncDisposable {
  readonly dataFolder: string;
  /** Starts it as `npm start` does, and waits until it is ready. */
  start(): Promise<RunningAttune>;
  /** Runs another command to its end. */
  run(...args: readonly string[]): { readonly status: number | null; readonly output: string };
  /** Process of the database server. */
  databasePid(): number;
}

export interface RunningAttune {
  readonly pid: number;
  readonly url: string;
  readonly output: () => string;
  /** Every process of it at this moment, the database with all of its own included. */
  readonly processes: () => readonly number[];
  /** The process of a service whose command line holds `text`. */
  find(text: string): number;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** @param settings of the environment, beside those that keep it apart from others */
export async function makeInstallation(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "attune-e2e-"));
  const dataFolder = join(folder, "data");
  const environment = {
    PATH: `${programs}:${process.env["PATH"]}`,
    ATTUNE_DATA_DIR: dataFolder,
    ATTUNE_PORT: String(await freePort()),
    ATTUNE_PARSER_PORT: String(await freePort()),
    ATTUNE_NODE_PORT: String(await freePort()),
    PARSER_WORK_DIR: join(folder, "work"),
    ...settings,
  };
  const started: ChildProcess[] = [];
  return {
    dataFolder,
    start: () => start(environment, started),
    run: (...args) => {
      const main = join(root, "apps/cli/src/main.ts");
      const options = { env: environment, encoding: "utf8", timeout: startTimeoutMs } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options);
      return { status, output: stdout + stderr };
    },
    databasePid: () => Number(readFileSync(join(dataFolder, "postgres/cluster/postmaster.pid"), "utf8").split("\n")[0]),
    [Symbol.asyncDispose]: async () => {
      for (const child of started.filter((one) => one.exitCode === null && one.signalCode === null)) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function start(environment: NodeJS.ProcessEnv, started: ChildProcess[]): Promise<RunningAttune> {
  const child = spawn("/bin/sh", ["-c", startScript()], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  // A test that is given up does not dispose what it started; the rest ends with its supervisor.
  process.once("exit", () => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const pid = child.pid ?? 0;
  const url = (): string | undefined => /Attune is ready: (\S+)/.exec(output)?.[1];
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await until(() => url() !== undefined || hasEnded(), startTimeoutMs, "Attune is ready");
  if (url() === undefined) throw new Error(`Attune did not start: ${output}`);
  return {
    pid,
    url: url() ?? "",
    output: () => output,
    processes: () => [pid, ...descendantsOf(pid)],
    find: (text) => {
      const found = descendantsOf(pid).find((one) => isAlive(one) && commandOf(one).includes(text));
      if (found === undefined) throw new Error(`There is no process ${text}: ${output}`);
      return found;
    },
    end: async (signal) => {
      child.kill(signal);
      if (!hasEnded()) await once(child, "exit");
      return child.exitCode;
    },
  };
}

function startScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { start: string } };
  return scripts.start;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
