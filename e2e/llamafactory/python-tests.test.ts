import { describe, expect, test } from "vitest";
import { ranTests, runPythonTests } from "../run-python-tests.ts";
import { findLlamaFactoryPython, project, sources } from "./find-python.ts";

const python = findLlamaFactoryPython();
/** Importing PyTorch takes long where other tests run beside this one. */
const timeoutMs = 1_800_000;

describe.skipIf(python === undefined)("LLaMA-Factory", () => {
  test.each(["test_arguments", "test_rows", "test_runs"])(
    "tests of Python: %s",
    async (name) => {
      expect(await runPythonTests({ python: python as string, project, sources, modules: [name] })).toMatch(ranTests);
    },
    timeoutMs,
  );
});
