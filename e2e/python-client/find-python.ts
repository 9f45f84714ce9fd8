import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const modules = "import grpc, grpc_tools, grpc_health, grpc_reflection";
const ownEnvironment = join(import.meta.dirname, "../../.work/python/bin/python");

/** A Python that has what the client needs (`npm run setup:python-client` makes one), or undefined. */
export function findPython(): string | undefined {
  const candidates = [process.env["DOCPARSER_PYTHON"] ?? "", ownEnvironment, "python3"];
  return candidates.find((python) => python !== "" && hasModules(python));
}

function hasModules(python: string): boolean {
  if (python.includes("/") && !existsSync(python)) return false;
  return spawnSync(python, ["-c", modules], { stdio: "ignore", timeout: 30_000 }).status === 0;
}
