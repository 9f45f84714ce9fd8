import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "./free-ports.ts";
import { killByFolder } from "./kill-by-folder.ts";
import { until } from "./processes.ts";
import { writeSlurmState } from "./write-slurm-state.ts";

export interface StartedSlurm extends AsyncDisposable {
  /** Of slurmrestd. */
  readonly url: string;
  readonly user: string;
  /** Prints a token that is valid for an hour. */
  readonly tokenCommand: readonly string[];
  token(lifespanSeconds?: number): string;
  /** Of its state; the jobs may use it, too. */
  readonly folder: string;
  readonly nodes: readonly string[];
  /** Runs `scontrol`. */
  control(...args: readonly string[]): string;
  /** Kills slurmd, and all that it started, as the loss of a machine does. */
  killNode(name: string): Promise<void>;
  startNode(name: string): void;
  stopController(signal?: NodeJS.Signals): Promise<void>;
  startController(): Promise<void>;
  stopRest(): Promise<void>;
  startRest(): Promise<void>;
}

export interface SlurmOptions {
  /** Of 2 CPUs and 2 GPUs (which are only files) each. */
  readonly nodeCount?: number;
  /** More lines of slurm.conf. */
  readonly lines?: readonly string[];
}

const programs = ["munged", "slurmctld", "slurmd", "slurmrestd", "scontrol"];

/** Why no Slurm can be started here; empty when one can. */
export function whyNoSlurm(): string {
  const paths = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"];
  const missing = programs.filter((program) => !paths.some((path) => hasFile(path, program)));
  if (missing.length > 0) {
    return `${missing.join(", ")} not installed (Debian: apt-get install slurmctld slurmd slurmrestd slurm-client munge slurm-wlm-basic-plugins slurm-wlm-jwt-plugin)`;
  }
  return userInfo().uid === 0 ? "" : "its daemons need root here, to make device files and to run jobs";
}

function hasFile(folder: string, name: string): boolean {
  try {
    return readdirSync(folder).includes(name);
  } catch {
    return false;
  }
}

/**
 * Starts a Slurm cluster of this machine alone: munged, slurmctld, one slurmd for each node, and slurmrestd, which runs as
 * nobody. Everything has its state in a temporary folder; disposing stops every process that it or its jobs started.
 */
export async function startSlurm({ nodeCount = 2, lines = [] }: SlurmOptions = {}): Promise<StartedSlurm> {
  const folder = mkdtempSync(join(tmpdir(), "slurm-"));
  chmodSync(folder, 0o755);
  const clear = clearWithTests(folder);
  const ports = await freePorts(nodeCount + 2);
  const nodes = Array.from({ length: nodeCount }, (_, index) => `n${index + 1}`);
  writeSlurmState(folder, { ports, nodes, lines });
  const environment = { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin`, SLURM_CONF: join(folder, "slurm.conf") };
  const { begin, stop } = createDaemons(folder, environment);
  const control = (...args: readonly string[]): string =>
    execFileSync("scontrol", args, { env: environment, encoding: "utf8", timeout: 20_000 });
  const conf = environment.SLURM_CONF;
  const url = `http://127.0.0.1:${ports[1] ?? 0}`;
  const starts = createStarts({ begin, control, url, environment });
  const dispose = async (): Promise<void> => {
    for (const name of ["slurmrestd", ...nodes, "slurmctld", "munged"]) await stop(name);
    clear();
  };
  try {
    begin("munged", mungeCommand(folder));
    await until(() => hasFile(folder, "munge.sock"), 20_000, "munged");
    await starts.startController();
    for (const name of nodes) starts.startNode(name);
    await starts.startRest();
    await untilTrue(() => nodes.every((name) => /State=IDLE/.test(control("show", "node", name))), "slurmd");
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url,
    folder,
    nodes,
    control,
    user: userInfo().username,
    ...starts,
    ...tokens(conf, control),
    killNode: async (name) => {
      await stop(name, "SIGKILL");
      killByFolder(folder, (text) => text.includes(`SLURMD_NODENAME=${name}\0`) || text.includes("slurmstepd: ["));
    },
    stopController: (signal) => stop("slurmctld", signal),
    stopRest: () => stop("slurmrestd"),
    [Symbol.asyncDispose]: dispose,
  };
}

interface StartDeps {
  readonly begin: (name: string, command: readonly string[], more?: NodeJS.ProcessEnv) => void;
  readonly control: StartedSlurm["control"];
  readonly url: string;
  readonly environment: { readonly PATH: string; readonly SLURM_CONF: string };
}

function createStarts({ begin, control, url, environment }: StartDeps) {
  return {
    startController: async (): Promise<void> => {
      begin("slurmctld", ["slurmctld", "-D", "-f", environment.SLURM_CONF]);
      await untilTrue(() => control("ping").includes("UP"), "slurmctld");
    },
    startNode: (name: string): void => begin(name, ["slurmd", "-D", "-N", name, "-f", environment.SLURM_CONF]),
    startRest: async (): Promise<void> => {
      // Without this variable it passes no tokens on.
      begin("slurmrestd", restCommand(url, openapiPlugins(environment)), { SLURM_JWT: "daemon" });
      await untilAnswers(url);
    },
  };
}

/** Ends what is left, also when the tests are given up. */
function clearWithTests(folder: string): () => void {
  const kill = (): void => killByFolder(folder);
  process.once("exit", kill);
  return () => {
    kill();
    process.removeListener("exit", kill);
    rmSync(folder, { recursive: true, force: true });
  };
}

const tokens = (conf: string, control: StartedSlurm["control"]): Pick<StartedSlurm, "token" | "tokenCommand"> => ({
  tokenCommand: ["/usr/bin/env", `SLURM_CONF=${conf}`, "scontrol", "token", "lifespan=3600"],
  token: (lifespan = 3600) => control("token", `lifespan=${lifespan}`).trim().replace("SLURM_JWT=", ""),
});

/** Programs by name, of which each writes to a log of its own. */
function createDaemons(folder: string, environment: Readonly<Record<string, string>>) {
  const daemons = new Map<string, ChildProcess>();
  return {
    begin: (name: string, [file = "", ...args]: readonly string[], more: NodeJS.ProcessEnv = {}): void => {
      const log = openSync(join(folder, `log/${name}.out`), "a");
      daemons.set(name, spawn(file, args, { env: { ...environment, ...more }, stdio: ["ignore", log, log] }));
      closeSync(log);
    },
    stop: async (name: string, signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
      const child = daemons.get(name);
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      child.kill(signal);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** slurmrestd refuses to run as root. */
const asNobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"];

/** Those of slurmctld: those of slurmdbd do not start without it. They are named by version until 23.02, and slurmctld since. */
function openapiPlugins(environment: StartDeps["environment"]): string {
  const { stdout, stderr } = spawnSync("setpriv", [...asNobody.slice(1), "slurmrestd", "-s", "list"], {
    env: environment,
    encoding: "utf8",
    timeout: 20_000,
  });
  return [...`${stdout}${stderr}`.matchAll(/openapi\/(?:v[\d.]+|slurmctld)/g)].map(([plugin]) => plugin).join(",");
}

const restCommand = (url: string, plugins: string): readonly string[] => [
  ...asNobody,
  "slurmrestd",
  "-a",
  "rest_auth/jwt",
  "-s",
  plugins,
  url.slice("http://".length),
];

const mungeCommand = (folder: string): readonly string[] => [
  "munged",
  "--foreground",
  "--force",
  `--socket=${folder}/munge.sock`,
  `--key-file=${folder}/munge.key`,
  `--pid-file=${folder}/munged.pid`,
  `--log-file=${folder}/log/munged.log`,
  `--seed-file=${folder}/munge.seed`,
];

const startTimeoutMs = 60_000;

async function untilTrue(isTrue: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      if (isTrue()) return;
    } catch (error) {
      if (performance.now() > endMs) throw error;
    }
    if (performance.now() > endMs) throw new Error(`${what}: not within ${startTimeoutMs} ms`);
    await sleep(200);
  }
}

async function untilAnswers(url: string): Promise<void> {
  const endMs = performance.now() + startTimeoutMs;
  while (performance.now() < endMs) {
    if (await fetch(url).then(Boolean, () => false)) return;
    await sleep(100);
  }
  throw new Error(`slurmrestd: not within ${startTimeoutMs} ms`);
}
