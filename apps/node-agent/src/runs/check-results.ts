import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ArtifactView } from "@attune/contracts/compute/run-record.ts";
import type { MappedCause } from "./map-cause.ts";
import type { RunPaths } from "./run-paths.ts";
import type { StoredRun } from "./stored-run.ts";

/** What is wrong with what a run says it made: a file that is not there, or has another size; null when all is there. */
export async function checkResults({ heard, kind }: StoredRun, paths: RunPaths): Promise<MappedCause | null> {
  for (const artifact of heard.artifacts) {
    const fault = await faultOf(artifact, paths);
    if (fault !== null) return { cause: "engine_failed", message: fault };
  }
  if (heard.artifacts.length > 0 || kind === "eval") return null;
  return (await isEmpty(paths.output))
    ? { cause: "engine_failed", message: "It said that it was done, and left nothing in its output." }
    : null;
}

/** Also where it is not there. */
async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}

/** Fault of one artifact as a sentence; null when the file is as it was told. */
export async function faultOf({ path, size_bytes }: ArtifactView, paths: RunPaths): Promise<string | null> {
  const file = await findArtifact(path, paths);
  if (file === undefined) return `${path}, which it says it made, is not in its output.`;
  const { size } = await stat(file);
  return size === size_bytes ? null : `${path} has ${size} bytes, and ${size_bytes} were written.`;
}

/** The real path of an artifact, which is told relative to the folder of the run; undefined when there is no such file inside the run's output. */
export async function findArtifact(path: string, { folder, output }: RunPaths): Promise<string | undefined> {
  try {
    const file = await realpath(join(folder, path));
    const isInside = file.startsWith(`${await realpath(output)}${sep}`);
    return isInside && (await stat(file)).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

/** SHA-256 of a file, in hexadecimal. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash, { signal });
  return hash.digest("hex");
}
