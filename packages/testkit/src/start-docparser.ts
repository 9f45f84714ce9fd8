import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface StartedDocparser extends AsyncDisposable {
  /** `host:port` of gRPC. */
  readonly address: string;
  readonly pid: number;
  /** A folder of its own that `file://` URLs may read from. */
  readonly folder: string;
  /** What it wrote to standard error so far. */
  readonly log: () => string;
  /** Resolves with exit code or signal. */
  readonly ended: Promise<number | string>;
}

const root = join(import.meta.dirname, "../../..");
const startTimeoutMs = 30_000;

/** Starts the service as its users do, as a process of its own, on a free port; disposing stops it with SIGTERM. */
export async function startDocparser(environment: Readonly<Record<string, string>> = {}): Promise<StartedDocparser> {
  const folder = mkdtempSync(join(tmpdir(), "docparser-e2e-"));
  const child = spawn(process.execPath, startArguments(), {
    cwd: root,
    env: {
      PATH: process.env["PATH"] ?? "",
      PARSER_PORT: "0",
      PARSER_FILE_ROOTS: folder,
      PARSER_WORK_DIR: join(folder, "work"),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that is given up does not dispose what it started.
  const killWithTests = (): void => void child.kill("SIGKILL");
  process.once("exit", killWithTests);
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-1_000_000);
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? ""));
  });
  const address = await announcedAddress(child, () => log);
  return {
    address,
    folder,
    pid: child.pid ?? 0,
    log: () => log,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
      process.removeListener("exit", killWithTests);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// What `npm run parser` gives to Node.
function startArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { parser: string } };
  return scripts.parser.split(" node ")[1]?.split(" ") ?? [];
}

function announcedAddress(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The service did not start: ${log()}`)), startTimeoutMs);
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const address = /DocumentParser on (\S+)/.exec(output)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    child.once("exit", () => reject(new Error(`The service ended: ${log()}`)));
  });
}
