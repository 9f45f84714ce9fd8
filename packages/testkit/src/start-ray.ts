import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "./free-ports.ts";
import { killByFolder } from "./kill-by-folder.ts";

export interface StartedRay extends AsyncDisposable {
  /** Of the dashboard, which serves the Jobs API. */
  readonly url: string;
  readonly folder: string;
  /** Ends the head and everything on it, as the loss of the machine does; `start` gives a new cluster at the same address. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

const root = join(import.meta.dirname, "../../..");
const program = process.env["ATTUNE_TEST_RAY"] ?? join(root, ".work/python-ray/bin/ray");

/** Why no Ray can be started here; empty when one can. */
export function whyNoRay(): string {
  return existsSync(program) ? "" : `${program} is not there: run npm run setup:python-ray`;
}

/** Starts a Ray cluster of this machine alone, with 2 CPUs and 4 GPUs that are none; disposing stops all that it started. */
export async function startRay(): Promise<StartedRay> {
  // Ray makes sockets in it, whose paths must be short.
  const folder = mkdtempSync(join(tmpdir(), "ray-"));
  const ports = await freePorts(7);
  const url = `http://127.0.0.1:${ports[0] ?? 0}`;
  const killWithTests = (): void => killByFolder(folder);
  process.once("exit", killWithTests);
  let head: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const log = openSync(join(folder, "ray.out"), "a");
    head = spawn(program, headArguments(folder, ports), {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, RAY_USAGE_STATS_ENABLED: "0", RAY_TMPDIR: folder },
      stdio: ["ignore", log, log],
    });
    await untilReady(url, () => readFileSync(join(folder, "ray.out"), "utf8"));
  };
  const kill = async (): Promise<void> => {
    head?.kill("SIGKILL");
    // Its processes start others while they end.
    for (let round = 0; round < 3; round++) {
      killByFolder(folder);
      await sleep(200);
    }
  };
  const dispose = async (): Promise<void> => {
    await kill();
    process.removeListener("exit", killWithTests);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return { url, folder, kill, start, [Symbol.asyncDispose]: dispose };
}

function headArguments(folder: string, ports: readonly number[]): readonly string[] {
  const [dashboard, gcs, client, agent, agentGrpc, metrics, runtimeEnv] = ports.map(String);
  return [
    "start",
    "--head",
    "--block",
    "--node-ip-address=127.0.0.1",
    "--num-cpus=2",
    "--num-gpus=4",
    "--object-store-memory=100000000",
    "--dashboard-host=127.0.0.1",
    `--dashboard-port=${dashboard}`,
    `--port=${gcs}`,
    `--ray-client-server-port=${client}`,
    `--dashboard-agent-listen-port=${agent}`,
    `--dashboard-agent-grpc-port=${agentGrpc}`,
    `--metrics-export-port=${metrics}`,
    `--runtime-env-agent-port=${runtimeEnv}`,
    `--temp-dir=${folder}`,
    "--disable-usage-stats",
  ];
}

const startTimeoutMs = 120_000;

/** Ready is a head whose agent takes jobs, some seconds after its dashboard answers. */
async function untilReady(url: string, log: () => string): Promise<void> {
  const endMs = performance.now() + startTimeoutMs;
  while (performance.now() < endMs) {
    if (await hasNodes(url)) return;
    await sleep(250);
  }
  throw new Error(`Ray did not start within ${startTimeoutMs} ms: ${log().slice(-2000)}`);
}

async function hasNodes(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/nodes?view=summary`);
    const { data } = (await response.json()) as { data?: { summary?: readonly { raylet?: { state?: string } }[] } };
    return data?.summary?.some(({ raylet }) => raylet?.state === "ALIVE") === true;
  } catch {
    return false;
  }
}
