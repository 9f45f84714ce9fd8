import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const made = join(root, ".work/python-llamafactory/bin/python");

export const project = join(root, "python/llamafactory");

/** Folders of the packages, for PYTHONPATH. */
export const sources = [join(root, "python/trainer/src"), join(project, "src")].join(delimiter);

/** A Python that has LLaMA-Factory, or undefined; then it says that tests are left out and why. */
export function findLlamaFactoryPython(): string | undefined {
  const python = process.env["NODE_AGENT_LLAMAFACTORY_PYTHON"] ?? made;
  if (existsSync(python)) return python;
  console.warn(
    `Left out: tests of LLaMA-Factory. There is no ${python}; \`npm run setup:python-llamafactory\` makes the environment.`,
  );
  return undefined;
}
