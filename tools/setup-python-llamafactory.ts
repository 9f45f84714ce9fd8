/**
 * `npm run setup:python-llamafactory [-- --cpu | --cuda]`: makes .work/python-llamafactory, the Python environment in which LLaMA-Factory
 * trains, from the lock files of python/llamafactory/requirements and the trainer's PyTorch. Without an option it takes CUDA where
 * an NVIDIA driver is.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, setUpPython } from "./python-environment.ts";

const project = join(root, "python/llamafactory");
const requirements = join(project, "requirements");

setUpPython(
  {
    name: "python-llamafactory",
    command: "npm run setup:python-llamafactory",
    project,
    recipe: 1,
    locks: {
      torch: (build) => join(root, `python/trainer/requirements/torch-${build}.lock`),
      rest: join(requirements, "requirements.lock"),
    },
    contents: "LLaMA-Factory, transformers, TRL, PEFT and what they need",
    finish: checkNeeds,
    importAll: "import torch, transformers, trl, peft, accelerate, datasets, jsonschema; import llamafactory",
  },
  process.argv.slice(2),
);

/** Whether everything fits, but for what left-out.txt names. */
function checkNeeds(python: string): void {
  const names = readFileSync(join(requirements, "left-out.txt"), "utf8").split("\n");
  const expected = new Set(names.map((name) => `requires ${name}, which is not installed.`));
  const { stdout, stderr } = spawnSync(python, ["-m", "pip", "check", "--disable-pip-version-check"], {
    encoding: "utf8",
  });
  const faults = `${stdout}${stderr}`.split("\n").filter((line) => {
    const [, need = line] = /^llamafactory \S+ (requires .*)$/.exec(line) ?? [];
    return !/^(|No broken requirements found\.|WARNING: .*)$/.test(line) && !expected.has(need);
  });
  if (faults.length > 0) throw new Error(`4/4 looking whether everything fits failed:\n${faults.join("\n")}`);
  console.log("4/4 everything fits");
}
