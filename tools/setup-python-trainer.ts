/**
 * `npm run setup:python [-- --cpu | --cuda]`: makes .work/python-trainer, the Python environment in which runs are trained, evaluated
 * and exported and models are served, from the lock files of python/trainer/requirements. Without an option it takes CUDA where
 * an NVIDIA driver is. An environment of the same lock files is left as it is; a new one takes the place of the old one at once
 * and only when it is whole, so that a set-up that was killed is simply done again.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const project = join(root, "python/trainer");
const work = join(root, ".work");
const link = join(work, "python-trainer");
const cpuIndex = "https://download.pytorch.org/whl/cpu";
const stampName = "attune-environment.json";
/** Raised when environments are made in another way or pyproject.toml changed, so that those made before are made anew. */
const recipe = 1;
/** What the driver of Linux, or that of Windows under WSL, puts there. */
const signsOfDriver = ["/proc/driver/nvidia/version", "/dev/nvidiactl", "/usr/lib/wsl/lib/libcuda.so.1"];
const importAll = "import torch, transformers, trl, peft, accelerate, datasets, jsonschema, attune_trainer";

type Build = "cpu" | "cuda";

try {
  setUp(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function setUp(args: readonly string[]): void {
  const python = findPython();
  const build = chosenBuild(args);
  const key = environmentKey(python.version, build);
  if (isWhole(link, key)) {
    console.log(`The Python environment for ${build.toUpperCase()} is up to date: ${link}`);
    return;
  }
  mkdirSync(work, { recursive: true });
  withLock(() => {
    putInPlace(findWhole(key) ?? makeEnvironment({ key, build, python: python.program }));
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
function environmentKey(pythonVersion: string, build: Build): string {
  const hash = createHash("sha256").update(`${recipe} ${pythonVersion} ${build} ${project}\n`);
  for (const path of [lockOf("requirements"), lockOf(`torch-${build}`)]) hash.update(readFileSync(path));
  return hash.digest("hex");
}

function lockOf(name: string): string {
  return join(project, `requirements/${name}.lock`);
}

function isWhole(folder: string, key: string): boolean {
  const stamp = join(folder, stampName);
  return existsSync(stamp) && (JSON.parse(readFileSync(stamp, "utf8")) as { key?: string }).key === key;
}

/** An environment that was made before, such as that for the CPU while the one for CUDA was in use. */
function findWhole(key: string): string | undefined {
  return ownFolders().find((folder) => isWhole(folder, key));
}

function ownFolders(): readonly string[] {
  const names = readdirSync(work).filter((name) => /^python-trainer-[0-9a-f]{12}(?:-\w+)?$/.test(name));
  return names.map((name) => join(work, name));
}

interface Plan {
  readonly key: string;
  readonly build: Build;
  readonly python: string;
}

function makeEnvironment({ key, build, python }: Plan): string {
  // A name of its own: what a killed set-up had started may still be writing to the folder of that one.
  const folder = `${link}-${key.slice(0, 12)}-${Date.now().toString(36)}`;
  step("1/5 an empty environment", [python, "-m", "venv", folder]);
  const own = join(folder, "bin/python");
  const pip = [own, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps"];
  installTorch([...pip, "--require-hashes", "-r", lockOf(`torch-${build}`)], build);
  step("3/5 transformers, TRL, PEFT and what they need", [...pip, "--require-hashes", "-r", lockOf("requirements")]);
  step("4/5 attune_trainer", [...pip, "--no-index", "--no-build-isolation", "--editable", project]);
  step("5/5 looking whether everything fits", [own, "-m", "pip", "check", "--disable-pip-version-check"]);
  const versions = step("    importing it", [own, "-c", `${importAll}; print(torch.__version__)`]);
  const stamp = { key, build, torch: versions.trim().split("\n").at(-1), made_at: new Date().toISOString() };
  writeFileSync(join(folder, `${stampName}.draft`), `${JSON.stringify(stamp, null, 2)}\n`);
  renameSync(join(folder, `${stampName}.draft`), join(folder, stampName));
  return folder;
}

/** PyPI has no Linux build for the CPU alone: where pip's own settings know none, it comes from PyTorch's index. */
function installTorch(command: readonly string[], build: Build): void {
  const title = `2/5 PyTorch for ${build === "cuda" ? "CUDA (some gigabytes)" : "the CPU"}`;
  if (build === "cpu") {
    const [program = "", ...args] = command;
    const startedAtMs = performance.now();
    if (spawnSync(program, args, { encoding: "utf8" }).status === 0) return done(title, startedAtMs);
    step(`${title}, from ${cpuIndex}`, [...command, "--index-url", cpuIndex]);
    return;
  }
  step(title, command);
}

/** Runs a command, says how long it took, and gives what it printed; its errors are those of the program. */
function step(title: string, [program = "", ...args]: readonly string[]): string {
  const startedAtMs = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) {
    const said = `${stdout ?? ""}${stderr ?? ""}`.trim().split("\n").slice(-15).join("\n");
    throw new Error(
      `${title.trim()} failed: ${error?.message ?? ""}\n${said}\nMend this and run npm run setup:python again.`,
    );
  }
  done(title, startedAtMs);
  return stdout;
}

function done(title: string, startedAtMs: number): void {
  console.log(`${title} (${((performance.now() - startedAtMs) / 1000).toFixed(0)} s)`);
}

/** Points the link at the new environment in one step; the one before stays until the next set-up, for what still runs in it. */
function putInPlace(folder: string): void {
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const before = isLink ? join(work, readlinkSync(link)) : undefined;
  if (!isLink && existsSync(link)) rmSync(link, { recursive: true });
  rmSync(`${link}.draft`, { force: true });
  symlinkSync(folder.slice(work.length + 1), `${link}.draft`);
  renameSync(`${link}.draft`, link);
  for (const one of ownFolders()) {
    if (one !== folder && one !== before) rmSync(one, { recursive: true, force: true });
  }
}

function withLock(action: () => void): void {
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
