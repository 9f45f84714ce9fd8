/**
 * Makes a Python environment of the product below .work from lock files with hashes. One of the same lock files is left as it is; a
 * new one takes the place of the old one at once and only when it is whole, so that a set-up that was killed is simply done again.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");
const work = join(root, ".work");
const cpuIndex = "https://download.pytorch.org/whl/cpu";
const stampName = "attune-environment.json";
/** What the driver of Linux, or that of Windows under WSL, puts there. */
const signsOfDriver = ["/proc/driver/nvidia/version", "/dev/nvidiactl", "/usr/lib/wsl/lib/libcuda.so.1"];

export type Build = "cpu" | "cuda";

export interface PythonEnvironment {
  /** Name of the link below .work, such as python-trainer. */
  readonly name: string;
  /** What makes it anew, as `npm run setup:python`. */
  readonly command: string;
  /** Folder of the Python project that it is for. */
  readonly project: string;
  /** Raised when environments are made in another way, so that those made before are made anew. */
  readonly recipe: number;
  /** Lock file of PyTorch for a build, and that of everything else. */
  readonly locks: { readonly torch: (build: Build) => string; readonly rest: string };
  /** What the second lock file brings, for people. */
  readonly contents: string;
  /** Installs what no lock file names and sees that everything fits; throws else. Given the interpreter. */
  readonly finish: (python: string) => void;
  /** Python that imports what is needed, torch among it. */
  readonly importAll: string;
}

/** Does what the command line asks for: --cpu, --cuda or nothing. A failure is told and leaves a status of 1. */
export function setUpPython(environment: PythonEnvironment, args: readonly string[]): void {
  try {
    setUp(environment, args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(`${message}\nMend this and run ${environment.command} again.`);
    process.exitCode = 1;
  }
}

function setUp(environment: PythonEnvironment, args: readonly string[]): void {
  const python = findPython();
  const build = chosenBuild(args);
  const key = environmentKey(environment, python.version, build);
  const link = join(work, environment.name);
  if (isWhole(link, key)) {
    console.log(`The Python environment for ${build.toUpperCase()} is up to date: ${link}`);
    return;
  }
  mkdirSync(work, { recursive: true });
  withLock(link, () => {
    const whole = ownFolders(link).find((folder) => isWhole(folder, key));
    putInPlace(link, whole ?? makeEnvironment(environment, { key, build, python: python.program }));
  });
  console.log(`Done: ${link}`);
}

/** A Python that the packages support, or an error that says which one is needed. */
function findPython(): { readonly program: string; readonly version: string } {
  const ask =
    "import sys, venv, ensurepip; v = sys.version_info; print('%d.%d' % v[:2] if (3, 11) <= v[:2] <= (3, 14) else '')";
  for (const program of ["python3", "python3.12", "python3.11", "python3.13", "python3.14"]) {
    const version = spawnSync(program, ["-c", ask], { encoding: "utf8" }).stdout?.trim();
    if (version) return { program, version };
  }
  throw new Error(
    "No Python between 3.11 and 3.14 with the modules venv and ensurepip was found as python3 or python3.11 to python3.14. " +
      "Install one, for example with: apt-get install python3 python3-venv",
  );
}

function chosenBuild(args: readonly string[]): Build {
  const unknown = args.find((one) => one !== "--cpu" && one !== "--cuda");
  if (unknown !== undefined) throw new Error(`Unknown option ${unknown}; there are --cpu and --cuda.`);
  if (args.includes("--cpu")) return "cpu";
  if (args.includes("--cuda")) return "cuda";
  const hasDriver = signsOfDriver.some((path) => existsSync(path));
  console.log(
    hasDriver ? "An NVIDIA driver is here: PyTorch with CUDA." : "No NVIDIA driver is here: PyTorch for the CPU.",
  );
  return hasDriver ? "cuda" : "cpu";
}

/** Equal for environments that hold the same. */
function environmentKey({ recipe, project, locks }: PythonEnvironment, pythonVersion: string, build: Build): string {
  const hash = createHash("sha256").update(`${recipe} ${pythonVersion} ${build} ${project}\n`);
  for (const path of [locks.rest, locks.torch(build)]) hash.update(readFileSync(path));
  return hash.digest("hex");
}

function isWhole(folder: string, key: string): boolean {
  const stamp = join(folder, stampName);
  return existsSync(stamp) && (JSON.parse(readFileSync(stamp, "utf8")) as { key?: string }).key === key;
}

/** Environments that were made before, such as that for the CPU while the one for CUDA was in use. */
function ownFolders(link: string): readonly string[] {
  const form = /^[0-9a-f]{12}(?:-\w+)?$/;
  const all = readdirSync(work).map((name) => join(work, name));
  return all.filter((path) => path.startsWith(`${link}-`) && form.test(path.slice(link.length + 1)));
}

interface Plan {
  readonly key: string;
  readonly build: Build;
  readonly python: string;
}

function makeEnvironment(environment: PythonEnvironment, { key, build, python }: Plan): string {
  const { name, locks, contents } = environment;
  // A name of its own: what a killed set-up had started may still be writing to the folder of that one.
  const folder = join(work, `${name}-${key.slice(0, 12)}-${Date.now().toString(36)}`);
  runStep("1/4 an empty environment", [python, "-m", "venv", folder]);
  const own = join(folder, "bin/python");
  const pip = [...pipInstall(own), "--require-hashes", "-r"];
  installTorch([...pip, locks.torch(build)], build);
  runStep(`3/4 ${contents}`, [...pip, locks.rest]);
  environment.finish(own);
  const importing = [own, "-c", `${environment.importAll}; print(torch.__version__)`];
  const torch = runStep("    importing it", importing).trim().split("\n").at(-1);
  const stamp = { key, build, torch, made_at: new Date().toISOString() };
  writeFileSync(join(folder, `${stampName}.draft`), `${JSON.stringify(stamp, null, 2)}\n`);
  renameSync(join(folder, `${stampName}.draft`), join(folder, stampName));
  return folder;
}

export const pipInstall = (python: string): readonly string[] => [
  python,
  "-m",
  "pip",
  "install",
  "--disable-pip-version-check",
  "--quiet",
  "--no-deps",
];

/** PyPI has no Linux build for the CPU alone: where pip's own settings know none, it comes from PyTorch's index. */
function installTorch(command: readonly string[], build: Build): void {
  const title = `2/4 PyTorch for ${build === "cuda" ? "CUDA (some gigabytes)" : "the CPU"}`;
  if (build === "cpu") {
    const [program = "", ...args] = command;
    const startedAtMs = performance.now();
    if (spawnSync(program, args, { encoding: "utf8" }).status === 0) return done(title, startedAtMs);
    runStep(`${title}, from ${cpuIndex}`, [...command, "--index-url", cpuIndex]);
    return;
  }
  runStep(title, command);
}

/** Runs a command, says how long it took, and gives what it printed; its errors are those of the program. */
export function runStep(title: string, [program = "", ...args]: readonly string[]): string {
  const startedAtMs = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) {
    const said = `${stdout ?? ""}${stderr ?? ""}`.trim().split("\n").slice(-15).join("\n");
    throw new Error(`${title.trim()} failed: ${error?.message ?? ""}\n${said}`);
  }
  done(title, startedAtMs);
  return stdout;
}

function done(title: string, startedAtMs: number): void {
  console.log(`${title} (${((performance.now() - startedAtMs) / 1000).toFixed(0)} s)`);
}

/** Points the link at the new environment in one step; the one before stays until the next set-up, for what still runs in it. */
function putInPlace(link: string, folder: string): void {
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const before = isLink ? join(work, readlinkSync(link)) : undefined;
  if (!isLink && existsSync(link)) rmSync(link, { recursive: true });
  rmSync(`${link}.draft`, { force: true });
  symlinkSync(folder.slice(work.length + 1), `${link}.draft`);
  renameSync(`${link}.draft`, link);
  for (const one of ownFolders(link)) {
    if (one !== folder && one !== before) rmSync(one, { recursive: true, force: true });
  }
}

function withLock(link: string, action: () => void): void {
  const lock = `${link}.lock`;
  const holder = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0;
  if (holder > 0 && isAlive(holder)) throw new Error(`Process ${holder} is making the environment already.`);
  rmSync(lock, { force: true });
  writeFileSync(lock, String(process.pid), { flag: "wx" });
  try {
    action();
  } finally {
    unlinkSync(lock);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
