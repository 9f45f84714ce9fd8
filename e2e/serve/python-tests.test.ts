import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findTrainerPython, trainerSources } from "./find-trainer-python.ts";

const python = findTrainerPython("tests in Python of attune-serve, attune-eval and attune-export");
const project = join(trainerSources, "..");
// One process for all, as each would import torch anew.
const modules = ["commands", "detokeniser", "model_files", "stop_filter", "worker", "evaluation", "exporting"];
// Python imports torch for seconds, and for far more on a busy machine.
const patientMs = 600_000;

describe.skipIf(python === undefined)("tests in Python", () => {
  test(
    `of ${modules.join(", ")}`,
    async () => {
      const env = { ...process.env, PYTHONPATH: trainerSources, OMP_NUM_THREADS: "1", CUDA_VISIBLE_DEVICES: "" };
      const args = ["-m", "unittest", ...modules.map((name) => `tests.test_${name}`)];
      const { stderr } = await promisify(execFile)(python as string, args, { cwd: project, env, maxBuffer: 2 ** 28 });
      expect(stderr).toMatch(/^Ran [1-9]\d+ tests/m);
    },
    patientMs,
  );
});
