import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";

const script = join(import.meta.dirname, "fake-openai-engine.ts");

/** A program of this name in the folder that passes for an inference server. @returns its path */
export async function writeFakeProgram(folder: string, name: "vllm" | "llama-server"): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${script}" ${name} "$@"\n`);
  await chmod(path, 0o755);
  return path;
}
