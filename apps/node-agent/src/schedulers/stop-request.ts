import { appendFile, open, readFile } from "node:fs/promises";
import { join } from "node:path";

const fileName = "control.ndjson";
const line = `${JSON.stringify({ cmd: "stop", save: true })}\n`;

/**
 * Whether the run in this folder was asked to stop, otherwise than by its cluster, whose own requests its job script notes there.
 * False where there is no such folder.
 */
export async function wasAskedToStop(runFolder: string): Promise<boolean> {
  const lines = (await controlOf(runFolder)).split("\n");
  return lines.some((text) => /"cmd" *: *"stop"/.test(text) && !text.includes('"by":"cluster"'));
}

/**
 * Writes the request to stop into the run's control file, which its worker and its job script look at. Repeatable: a second
 * request is not written.
 * @throws Error of the file system where the folder cannot be written to.
 */
export async function askToStop(runFolder: string): Promise<void> {
  if (await wasAskedToStop(runFolder)) return;
  const path = join(runFolder, fileName);
  // A line that its writer did not finish would swallow this one.
  const isCut = !["", "\n"].includes((await controlOf(runFolder)).slice(-1));
  await appendFile(path, `${isCut ? "\n" : ""}${line}`);
  await using file = await open(path, "r");
  await file.sync();
}

async function controlOf(runFolder: string): Promise<string> {
  try {
    return await readFile(join(runFolder, fileName), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
