import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const main = join(import.meta.dirname, "../../apps/platform/src/main.ts");
/** Far more than a start takes, so that only one that hangs fails. */
const startTimeoutMs = 120_000;

export interface FirstAdmin {
  readonly email: string;
  readonly password: string;
}

export interface PlatformProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Of the node that made the first administrator. */
  readonly firstAdmin: FirstAdmin | undefined;
  /** What it wrote to standard output and standard error. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** The exit status; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

type Settings = Readonly<Record<string, string>>;

/** Runs `platform migrate` to its end and then `platform serve`, as an operator does, and waits until it serves. */
export async function startPlatform(databaseUrl: string, settings: Settings = {}): Promise<PlatformProcess> {
  const environment = {
    PATH: process.env["PATH"],
    DATABASE_URL: databaseUrl,
    PLATFORM_PORT: "0",
    PLATFORM_SECRET_KEY: Buffer.alloc(32, "k").toString("base64"),
    ...settings,
  };
  const migration = await outcomeOf(run("migrate", environment));
  if (migration.status !== 0) throw new Error(`platform migrate ended with ${migration.status}: ${migration.output}`);
  return whenReady(run("serve", environment));
}

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function run(command: string, env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, [main, command], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = once(child, "close").then(([status]) => status as number | null);
  return { child, output: () => output, ended };
}

const outcomeOf = async ({ ended, output }: Running) => ({ status: await ended, output: output() });

async function whenReady({ child, output, ended }: Running): Promise<PlatformProcess> {
  const ready = new Promise<string>((resolve, reject) => {
    const fail = (): void => reject(new Error(`The platform does not serve: ${output()}`));
    const timer = setTimeout(fail, startTimeoutMs);
    child.stdout?.on("data", () => {
      const url = /^Attune on (http\S+)$/m.exec(output())?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(fail);
    void ended.finally(() => clearTimeout(timer));
  });
  const url = await ready.catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  const [, email, password] = /^First sign-in: (\S+) (\S+)$/m.exec(output()) ?? [];
  return {
    url,
    pid: child.pid ?? 0,
    firstAdmin: email === undefined || password === undefined ? undefined : { email, password },
    output,
    signal: (name) => child.kill(name),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
