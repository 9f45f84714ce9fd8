import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseSupervisorMessage } from "@attune/service-kit/supervisor-messages.ts";

const main = join(import.meta.dirname, "../../apps/node-agent/src/main.ts");
/** Far more than a start takes, so that only one that hangs fails. */
const startTimeoutMs = 120_000;

type Settings = Readonly<Record<string, string>>;

export interface NodeAgentProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** What it wrote to standard output and standard error. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** The exit status; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Asks for a path; the body is JSON. */
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
}

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function run(settings: Settings): Running {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], NODE_AGENT_PORT: "0", ...settings };
  // The channel ends with the test, however that ends, and the agent with the channel.
  const child = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = once(child, "close").then(([status]) => status as number | null);
  return { child, output: () => output, ended };
}

/** Starts an agent that is to refuse to run. @returns its exit status and what it said */
export async function refusalOf(
  settings: Settings,
): Promise<{ readonly status: number | null; readonly text: string }> {
  const { ended, output, child } = run(settings);
  const timer = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
  const status = await ended;
  clearTimeout(timer);
  return { status, text: output() };
}

/** Starts the program as an operator does, and waits until it serves. */
export async function startNodeAgent(dataFolder: string, settings: Settings = {}): Promise<NodeAgentProcess> {
  const { child, output, ended } = run({ NODE_AGENT_DATA_DIR: dataFolder, ...settings });
  const url = await urlOf({ child, output, ended }).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  const token = settings["NODE_AGENT_TOKEN"];
  return {
    url,
    pid: child.pid ?? 0,
    output,
    signal: (name) => child.kill(name),
    ended,
    ask: async (method, path, body) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

function urlOf({ child, output, ended }: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`The node agent does not serve: ${output()}`));
    const timer = setTimeout(fail, startTimeoutMs);
    child.on("message", (raw) => {
      const message = parseSupervisorMessage(raw);
      if (message?.type === "ready") resolve(message.url);
    });
    void ended.then(fail);
    void ended.finally(() => clearTimeout(timer));
  });
}
