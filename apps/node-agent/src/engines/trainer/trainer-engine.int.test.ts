import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSpec } from "@attune/contracts/compute/run-spec.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTrainerEngine } from "./trainer-engine.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-trainer-"));
});
afterAll(() => rm(folder, { recursive: true }));

const environment = { PATH: "/usr/bin:/bin" };

/** A program that stands for an interpreter. */
async function reportOf(script: string) {
  const python = join(folder, `python-${Math.random()}`);
  await writeFile(python, `#!/bin/sh\n${script}\n`);
  await chmod(python, 0o700);
  return createTrainerEngine({ python, environment }).report();
}

test("an interpreter that is not there, one that lacks a package, and one that fails are said to, with what to do", async () => {
  const absent = await createTrainerEngine({ python: "/nowhere/python", environment }).report();
  expect(absent).toMatchObject({ available: false, versions: {} });
  expect(absent.unavailableReason).toContain("/nowhere/python is not there. Run npm run setup:python.");
  const lacking = await reportOf(`echo '{"python":"3.12.1","torch":"2.13.0"}'`);
  expect(lacking.unavailableReason).toContain("It lacks attune-trainer, transformers, trl");
  const failing = await reportOf("echo 'ImportError: no libpython' >&2; exit 1");
  expect(failing.unavailableReason).toContain("ImportError: no libpython");
  expect((await reportOf("echo nonsense")).unavailableReason).toContain("did not say what is installed");
});

test("an interpreter that has everything", async () => {
  const names = ["python", "attune-trainer", "torch", "transformers", "trl", "peft", "accelerate", "datasets"];
  const versions = Object.fromEntries(names.map((name) => [name, "1.0"]));
  expect(await reportOf(`echo '${JSON.stringify(versions)}'`)).toMatchObject({
    available: true,
    unavailableReason: "",
    versions,
  });
});

test("GPUs are told only where this node has them and PyTorch is built for them", async () => {
  const python = join(folder, "python-cuda");
  await writeFile(python, `#!/bin/sh\necho '{"torch":"2.13.0","cuda":"13.0"}'\n`);
  await chmod(python, 0o700);
  const supports = async (findCuda?: () => { version: string }) =>
    (await createTrainerEngine({ python, environment, findCuda }).report()).supports;
  expect(await supports()).not.toContain("gpu");
  expect(await supports()).toContain("cpu");
  expect(await supports(() => ({ version: "13.1" }))).toContain("gpu");
});

test("one device is one process; of more each gets one, and evaluation stays one", () => {
  const engine = createTrainerEngine({ python: "/py", environment });
  const model = { path: "/m" };
  const data = { files: ["/d.jsonl"] };
  const train = runSpec.parse({ kind: "train", model, data, method: "sft", tuning: "lora" });
  const evaluate = runSpec.parse({ kind: "eval", model, data });
  expect(engine.command({ spec: train, runFolder: "/r", deviceCount: 0 })).toEqual({
    program: "/py",
    args: ["-m", "attune_trainer.train", "/r"],
    env: {},
  });
  const spread = engine.command({ spec: train, runFolder: "/r", deviceCount: 4 });
  expect(spread.args).toContain("--nproc-per-node=4");
  expect(spread.args.slice(-3)).toEqual(["-m", "attune_trainer.train", "/r"]);
  expect(Number(spread.env["OMP_NUM_THREADS"])).toBeGreaterThanOrEqual(1);
  expect(engine.command({ spec: evaluate, runFolder: "/r", deviceCount: 2 }).args).toEqual([
    "-m",
    "attune_trainer.evaluate",
    "/r",
  ]);
});

test("an export is told where llama.cpp is, and nothing else is", () => {
  const model = { path: "/m" };
  const evaluate = runSpec.parse({ kind: "eval", model, data: { files: ["/d.jsonl"] } });
  const exporting = runSpec.parse({ kind: "export", model, targets: ["gguf"] });
  const envOf = (spec: typeof exporting, llamaCpp?: string) =>
    createTrainerEngine({ python: "/py", llamaCpp, environment }).command({ spec, runFolder: "/r", deviceCount: 0 })
      .env;
  expect(envOf(exporting, "/llama.cpp")).toEqual({ ATTUNE_LLAMA_CPP: "/llama.cpp" });
  expect(envOf(exporting)).toEqual({});
  expect(envOf(evaluate, "/llama.cpp")).toEqual({});
});
