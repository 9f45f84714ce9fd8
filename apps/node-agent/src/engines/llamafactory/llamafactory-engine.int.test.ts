import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSpec } from "@attune/contracts/compute/run-spec.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLlamaFactoryEngine } from "./llamafactory-engine.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-llamafactory-"));
});
afterAll(() => rm(folder, { recursive: true }));

const environment = { PATH: "/usr/bin:/bin" };
const sources = ["/product/trainer", "/product/llamafactory"];
const engineWith = (python: string) => createLlamaFactoryEngine({ python, sources, environment });

/** A program that stands for an interpreter. */
async function reportOf(answer: string) {
  const python = join(folder, `python-${Math.random()}`);
  await writeFile(python, `#!/bin/sh\necho '${answer}'\n`);
  await chmod(python, 0o700);
  return engineWith(python).report();
}

test("an environment that is not there, or lacks LLaMA-Factory, is told with the command that makes it", async () => {
  const absent = await engineWith("/nowhere/python").report();
  expect(absent).toMatchObject({ name: "llamafactory", available: false, versions: {} });
  expect(absent.unavailableReason).toContain("/nowhere/python is not there. Run npm run setup:python-llamafactory.");
  const lacking = await reportOf('{"python":"3.12.1","torch":"2.13.0"}');
  expect(lacking.unavailableReason).toContain("It lacks llamafactory, transformers, trl");
  expect(lacking.unavailableReason).toContain("Run npm run setup:python-llamafactory.");
});

test("one that has everything can train, and nothing else", async () => {
  const names = ["llamafactory", "torch", "transformers", "trl", "peft", "accelerate", "datasets", "omegaconf"];
  const versions = Object.fromEntries(names.map((name) => [name, "1.0"]));
  const report = await reportOf(JSON.stringify(versions));
  expect(report).toMatchObject({ available: true, unavailableReason: "", versions });
  expect(report.supports).toContain("train");
  expect(report.supports).not.toContain("export");
  expect(report.supports).not.toContain("qlora");
});

const model = { path: "/m" };
const data = { files: ["/d.jsonl"] };
const command = (spec: object, deviceCount: number) =>
  engineWith("/py").command({ spec: runSpec.parse({ model, data, ...spec }), runFolder: "/r", deviceCount });

test("one device is one process, of more each gets one; the product's sources come by PYTHONPATH", () => {
  const train = { kind: "train", method: "sft", tuning: "lora" };
  expect(command(train, 0)).toEqual({
    program: "/py",
    args: ["-m", "attune_llamafactory.train", "/r"],
    env: { PYTHONPATH: "/product/trainer:/product/llamafactory" },
  });
  const spread = command(train, 2);
  expect(spread.args).toContain("--nproc-per-node=2");
  expect(spread.args.slice(-3)).toEqual(["-m", "attune_llamafactory.train", "/r"]);
  expect(Number(spread.env["OMP_NUM_THREADS"])).toBeGreaterThanOrEqual(1);
  expect(spread.env["PYTHONPATH"]).toBe("/product/trainer:/product/llamafactory");
});

test("evaluation and export are refused with the engine that does them", () => {
  expect(() => command({ kind: "eval" }, 0)).toThrow(/REQUEST_INVALID.*kind eval is for engine trainer/);
});
