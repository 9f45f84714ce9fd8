import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";

/**
 * Sees to it that paths of models and data lie inside the folders that a node may read from, wherever their links lead; no
 * folders: anywhere. What is not there is judged by the nearest folder above that is. What is no path at all, such as the name
 * of a model on a server, is let through while there is no file of that name.
 * @throws AppError PATH_NOT_ALLOWED naming the first that does not
 */
export async function checkAllowedPaths(paths: readonly string[], folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const roots = await Promise.all(folders.map((folder) => findPlace(folder)));
  for (const path of paths) {
    const isName = !isAbsolute(path) && !(await exists(path));
    if (isName) continue;
    const place = await findPlace(path);
    const isInside = roots.some((root) => place === root || place.startsWith(root.endsWith(sep) ? root : root + sep));
    // Where it leads is not told to who may not read there.
    if (!isInside) throw new AppError("PATH_NOT_ALLOWED", { detail: `It is \`${path}\`.` });
  }
}

const exists = (path: string): Promise<boolean> =>
  realpath(path).then(
    () => true,
    () => false,
  );

/** Inside no folder. */
const nowhere = "";

/** The real path; of what is not there that of the nearest folder above, with the rest behind it. */
async function findPlace(path: string): Promise<string> {
  const whole = resolve(path);
  const real = await realpath(whole).catch(() => undefined);
  if (real !== undefined) return real;
  // A link that leads nowhere now may lead anywhere later.
  if (await lstat(whole).catch(() => undefined)) return nowhere;
  const above = dirname(whole);
  return above === whole ? whole : join(await findPlace(above), basename(whole));
}
