import { existsSync } from "node:fs";
import { join } from "node:path";

const own = join(import.meta.dirname, "../../.work/python-trainer/bin/python");

/** The Python that `npm run setup:python` made, or undefined; then it says that tests are left out and why. */
export function findTrainerPython(): string | undefined {
  if (existsSync(own)) return own;
  console.warn("Left out: there is no .work/python-trainer; npm run setup:python makes it.");
  return undefined;
}
