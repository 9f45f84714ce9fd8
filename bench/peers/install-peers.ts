/**
 * `npm run bench:peers`: installs the peers of npm and PyPI at their fixed versions into .work/peers, outside the lock file of
 * the product, and tells of each peer whether it can take part. What is there already stays.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePackages, type PeerPackage, pythonPackages } from "./packages.ts";
import { labelOf } from "./peer.ts";
import { findPeers, peersFolder } from "./peers.ts";

mkdirSync(peersFolder, { recursive: true });
installNodePackages();
for (const [id, one] of Object.entries(pythonPackages)) installPythonPackage(id, one);
for (const peer of findPeers()) console.log(`${labelOf(peer)} (${peer.licence}): ${peer.missing ?? "ready"}`);

function installNodePackages(): void {
  const wanted = Object.values(nodePackages).filter(({ name, version }) => versionOf(name) !== version);
  const specifiers = wanted.flatMap((one) => [`${one.name}@${one.version}`, ...(one.with ?? [])]);
  if (specifiers.length === 0) return;
  const flags = ["install", "--no-audit", "--no-fund", "--save-exact", "--prefix", peersFolder];
  if (!run("npm", [...flags, ...specifiers])) console.error(`npm could not install ${specifiers.join(", ")}`);
}

function versionOf(name: string): string | undefined {
  const path = join(peersFolder, "node_modules", name, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : undefined;
}

// Each has an environment of its own, because they ask for different versions of the same libraries.
function installPythonPackage(id: string, { name, version, with: before = [] }: PeerPackage): void {
  const folder = join(peersFolder, `python-${id}`);
  const done = join(folder, "installed");
  if (existsSync(done) && readFileSync(done, "utf8") === version) return;
  rmSync(folder, { recursive: true, force: true });
  const python = join(folder, "bin/python");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  const isInstalled =
    run("python3", ["-m", "venv", folder]) &&
    before.every((specifier) => run(python, [...pip, specifier])) &&
    run(python, [...pip, `${name}==${version}`]);
  if (isInstalled) writeFileSync(done, version);
  else console.error(`pip could not install ${name} ${version}`);
}

function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] }).status === 0;
}
