import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createTransformersReport } from "./report-transformers.ts";

const folder = mkdtempSync(join(tmpdir(), "attune-python-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fakePython = (name: string, script: string): string => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};
const all = '{"python":"3.12.1","torch":"2.13.0","transformers":"5.23.0","peft":"0.20.0","accelerate":"1.15.0"}';

test.each([
  ["everything is there", `echo '${all}'`, ""],
  ["packages are missing", `echo '{"python":"3.12.1","torch":"2.13.0"}'`, "It lacks transformers, peft, accelerate."],
  ["it fails", "echo 'bad interpreter' >&2; exit 1", "bad interpreter"],
  ["it says something else", "echo hello", "did not say what is installed"],
])("the engine says whether it can be used: %s", async (name, script, why) => {
  const available = why === "";
  const report = await createTransformersReport({ python: fakePython(name, script), environment: {} })();
  expect(report).toMatchObject({ name: "transformers", available, unavailableReason: expect.stringContaining(why) });
  expect(report.unavailableReason.endsWith("Run npm run setup:python.")).toBe(!available);
});

test("without Python it says how to get it", async () => {
  const report = await createTransformersReport({ python: join(folder, "none"), environment: {} })();
  expect(report.unavailableReason).toContain("is not there. Run npm run setup:python.");
});

test("GPUs are told only where this node has them and PyTorch is built for their driver", async () => {
  const python = fakePython("cuda", `echo '${all.replace("}", ',"cuda":"13.0"}')}'`);
  const reportOf = (version?: string) => {
    const findCuda = () => (version === undefined ? undefined : { version });
    return createTransformersReport({ python, environment: {}, findCuda })();
  };
  expect(await reportOf()).toMatchObject({
    supports: ["huggingface", "lora", "cpu"],
    description: expect.stringContaining("this node has no GPU"),
  });
  expect((await reportOf("12.8")).supports).not.toContain("gpu");
  expect((await reportOf("13.0")).supports).toEqual(["huggingface", "lora", "cpu", "gpu"]);
});

test("quantised weights are told only where bitsandbytes is there", async () => {
  const supports = async (name: string, found: string) =>
    (await createTransformersReport({ python: fakePython(name, `echo '${found}'`), environment: {} })()).supports;
  expect(await supports("without", all)).not.toContain("nf4");
  expect(await supports("with", all.replace("}", ',"bitsandbytes":"0.50.0"}'))).toContain("nf4");
});
