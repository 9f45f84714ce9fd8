import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ranTests, runPythonTests } from "../run-python-tests.ts";
import { findTrainerPython, trainerSources } from "./find-trainer-python.ts";

const python = findTrainerPython("tests in Python of attune-serve, attune-eval and attune-export");
const project = join(trainerSources, "..");
const names = ["commands", "detokeniser", "model_files", "stop_filter", "worker", "evaluation", "exporting"];
// Python imports torch for seconds, and for far more on a busy machine.
const patientMs = 600_000;

describe.skipIf(python === undefined)("tests in Python", () => {
  test(
    `of ${names.join(", ")}`,
    async () => {
      const modules = names.map((name) => `test_${name}`);
      const tests = { python: python as string, project, sources: trainerSources, modules };
      expect(await runPythonTests(tests)).toMatch(ranTests);
    },
    patientMs,
  );
});
