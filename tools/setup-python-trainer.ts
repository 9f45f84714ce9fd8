/**
 * `npm run setup:python [-- --cpu | --cuda]`: makes .work/python-trainer, the Python environment in which runs are trained, evaluated
 * and exported and models are served, from the lock files of python/trainer/requirements. Without an option it takes CUDA where
 * an NVIDIA driver is.
 */
import { join } from "node:path";
import { pipInstall, root, runStep, setUpPython } from "./python-environment.ts";

const project = join(root, "python/trainer");

setUpPython(
  {
    name: "python-trainer",
    command: "npm run setup:python",
    project,
    // Raised when pyproject.toml changed as well.
    recipe: 1,
    locks: {
      torch: (build) => join(project, `requirements/torch-${build}.lock`),
      rest: join(project, "requirements/requirements.lock"),
    },
    contents: "transformers, TRL, PEFT and what they need",
    finish: (python) => {
      const editable = ["--no-index", "--no-build-isolation", "--editable", project];
      runStep("4/4 attune_trainer", [...pipInstall(python), ...editable]);
      runStep("    looking whether everything fits", [python, "-m", "pip", "check", "--disable-pip-version-check"]);
    },
    importAll: "import torch, transformers, trl, peft, accelerate, datasets, jsonschema, attune_trainer",
  },
  process.argv.slice(2),
);
