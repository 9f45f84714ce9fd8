import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import type { ClusterFiles } from "./cluster-files.ts";
import { socketPort } from "./cluster-files.ts";
import type { ServerAccount } from "./server-account.ts";
import { serverEnvironment } from "./server-environment.ts";

export interface LaunchSettings {
  readonly postgres: string;
  readonly account: ServerAccount;
  readonly socketFolder: string;
  /** Settings of postgresql.conf that win over the built-in ones. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface LaunchedServer {
  readonly pid: number;
  /** Whether the process ended again. */
  readonly hasEnded: () => boolean;
  /** What it has written to its log since it was launched. */
  readonly log: () => string;
}

const maxLogBytes = 16 << 20;

/** Starts the server as a process of its own, which outlives this one; it may not answer yet, and may end at once. */
export function launchServer(files: ClusterFiles, settings: LaunchSettings): LaunchedServer {
  const { account } = settings;
  if (existsSync(files.log) && statSync(files.log).size > maxLogBytes) renameSync(files.log, `${files.log}.1`);
  const log = openSync(files.log, "a", 0o600);
  const logStart = statSync(files.log).size;
  const [program = "", ...args] = [...account.prefix, settings.postgres, ...serverArguments(files, settings)];
  const child = spawn(program, args, {
    cwd: files.folder,
    env: serverEnvironment,
    stdio: ["ignore", log, log],
    detached: true,
    ...account.owner,
  });
  closeSync(log);
  child.unref();
  const failure = watchFailure(child);
  return {
    pid: child.pid ?? 0,
    hasEnded: () => failure() !== undefined || child.exitCode !== null || child.signalCode !== null,
    log: () => `${failure() ?? ""}${readFileSync(files.log).subarray(logStart).toString()}`,
  };
}

function serverArguments(files: ClusterFiles, { socketFolder, settings }: LaunchSettings): readonly string[] {
  const all = {
    listen_addresses: "",
    unix_socket_directories: socketFolder,
    unix_socket_permissions: "0700",
    max_connections: "100",
    shared_buffers: "128MB",
    ...settings,
  };
  const options = Object.entries(all).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  return ["-D", files.cluster, "-p", String(socketPort), ...options];
}

function watchFailure(child: ChildProcess): () => string | undefined {
  let failure: string | undefined;
  child.once("error", (error) => {
    failure = `${error.message}\n`;
  });
  return () => failure;
}
