import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { probePython } from "./probe-python.ts";

const folder = mkdtempSync(join(tmpdir(), "attune-probe-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An interpreter that finds a torch whose import fails; its file of constants is of the form that PyTorch's builds have. */
function pythonWithTorch(name: string, cuda: string): string {
  const packages = join(folder, name);
  mkdirSync(join(packages, "torch"), { recursive: true });
  mkdirSync(join(packages, "torch-2.13.0.dist-info"));
  writeFileSync(
    join(packages, "torch-2.13.0.dist-info/METADATA"),
    "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n",
  );
  writeFileSync(join(packages, "torch/__init__.py"), "raise RuntimeError('torch was imported')\n");
  const constants = ["from typing import Optional", "__version__ = '2.13.0'", `cuda: Optional[str] = ${cuda}`];
  writeFileSync(join(packages, "torch/version.py"), constants.join("\n"));
  const path = join(folder, `${name}-python`);
  writeFileSync(path, `#!/bin/sh\nPYTHONPATH="${packages}" exec python3 "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

const environment = { PATH: process.env["PATH"] };

test("the CUDA that PyTorch is built for is told without importing it", async () => {
  const python = pythonWithTorch("cuda", "'12.8'");
  const { versions, available } = await probePython({ python, environment }, ["torch"]);
  expect(versions).toMatchObject({ torch: "2.13.0", cuda: "12.8" });
  expect(available).toBe(true);
});

test("a PyTorch without CUDA has none", async () => {
  const python = pythonWithTorch("plain", "None");
  const { versions } = await probePython({ python, environment }, ["torch"]);
  expect(versions).toMatchObject({ torch: "2.13.0" });
  expect(versions).not.toHaveProperty("cuda");
});
