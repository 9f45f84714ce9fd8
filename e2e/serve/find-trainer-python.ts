import { existsSync } from "node:fs";
import { join } from "node:path";

const made = join(import.meta.dirname, "../../.work/python-trainer/bin/python");

/** Where the trainer's sources are, for PYTHONPATH. */
export const trainerSources = join(import.meta.dirname, "../../python/trainer/src");

/** A Python with what `attune-serve` and its siblings need; undefined, and a word about it, when there is none. */
export function findTrainerPython(what: string): string | undefined {
  const python = process.env["ATTUNE_TRAINER_PYTHON"] ?? made;
  if (existsSync(python)) return python;
  console.log(
    `Not run: ${what}. There is no Python environment at ${python}; \`npm run setup:python\` makes one, or ` +
      "ATTUNE_TRAINER_PYTHON names another.",
  );
  return undefined;
}
