import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Example } from "../example.ts";
import { layouts } from "../layouts/layouts.ts";
import { cptExample, dpoExample, ktoExample, sftExample } from "../testing/arbitrary-examples.ts";
import type { DatasetExport, ExampleSource } from "./export-file.ts";
import { exportHuggingFace } from "./hugging-face.ts";
import { exportLlamaFactory, type LlamaFactoryLayout, llamaFactoryLayouts } from "./llama-factory.ts";
import { exportTrl, type TrlLoss } from "./trl.ts";

const examplesOf: Record<Example["kind"], readonly Example[]> = {
  sft: fc.sample(sftExample(true), { numRuns: 40, seed: 1 }),
  dpo: fc.sample(dpoExample(true), { numRuns: 40, seed: 2 }),
  kto: fc.sample(ktoExample(true), { numRuns: 40, seed: 3 }),
  cpt: fc.sample(cptExample, { numRuns: 40, seed: 4 }),
};
// Without calls of tools, as Alpaca needs it.
const plainExamplesOf: typeof examplesOf = {
  sft: fc.sample(sftExample(false), { numRuns: 40, seed: 5 }),
  dpo: fc.sample(dpoExample(false), { numRuns: 40, seed: 6 }),
  kto: fc.sample(ktoExample(false), { numRuns: 40, seed: 7 }),
  cpt: examplesOf.cpt,
};

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-loaders-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const python = findPython("datasets, trl, torch");

describe.skipIf(python === undefined)("datasets and TRL", () => {
  const cases: readonly (readonly [Example["kind"], TrlLoss])[] = [
    ["sft", "all"],
    ["sft", "last_answer"],
    ["sft", "each_answer"],
    ["dpo", "all"],
    ["kto", "all"],
    ["cpt", "all"],
  ];

  test("every export goes through TRL's preprocessing without losing a row or an answer", async () => {
    const jobs = await Promise.all(
      cases.map(async ([kind, loss]) => {
        const made = exportTrl({ kind, loss, splits: [{ name: "train", examples: sourceOf(examplesOf[kind]) }] });
        const at = await write(`trl-${kind}-${loss}`, made);
        return {
          job: { loader: "trl", kind, file: join(at, "train.jsonl") },
          written: made.counts()["train.jsonl"]?.written,
        };
      }),
    );
    const results = (await load(jobs.map(({ job }) => job))) as { rows: number; kept: number; untrained: number }[];

    expect(results).toMatchObject(jobs.map(({ written }) => ({ rows: written, kept: written, untrained: 0 })));
    expect(results.map(({ rows }) => rows).every((rows) => rows >= 40)).toBe(true);
  }, 300_000);

  test("load_dataset reads the card and finds the splits", async () => {
    const examples = sourceOf(examplesOf.sft);
    const splits = [
      { name: "train", examples },
      { name: "validation", examples: sourceOf(examplesOf.sft.slice(0, 5)) },
    ];
    const made = exportHuggingFace({ name: "问答 set", description: "For tests.", layout: "openai_messages", splits });
    const [result] = await load([{ loader: "hf", folder: await write("hf", made) }]);

    expect(result).toMatchObject({ train: { rows: 40 }, validation: { rows: 5 } });
  }, 300_000);
});

const factory = findPython("datasets, llamafactory.extras.constants, omegaconf");

describe.skipIf(factory === undefined)("LLaMA-Factory", () => {
  test("its converter keeps every row of every layout, and no ShareGPT row that our validation accepts is dropped by it", async () => {
    const turn = fc.record({
      from: fc.constantFrom("human", "gpt", "system", "observation", "function_call"),
      value: fc.constant('{"name": "a", "arguments": {}}'),
    });
    const rows = fc.sample(fc.array(turn, { minLength: 1, maxLength: 5 }), { numRuns: 300, seed: 8 });
    const jobs = await Promise.all(llamaFactoryLayouts.map(exportJob));
    const results = (await load([...jobs, await anyRowsJob(rows)])) as LlamaFactoryResult[];
    const dropped = results.at(-1)?.examples ?? [];
    const accepted = rows.map(
      (conversations) => layouts.sharegpt.read({ conversations }, () => undefined) !== undefined,
    );

    for (const [index, layout] of llamaFactoryLayouts.entries()) {
      const examples = factoryExamplesOf(layout);
      const { rows: read, kept, examples: made } = results[index] as LlamaFactoryResult;
      expect({ layout, read, kept }).toEqual({ layout, read: examples.length, kept: examples.length });
      expect(made.map(({ system }) => system)).toEqual(examples.map(systemOf));
    }
    expect(rows.filter((_row, index) => accepted[index] && !dropped[index]?.kept)).toEqual([]);
    expect(accepted.filter(Boolean).length).toBeGreaterThan(5);
  }, 300_000);
});

interface LlamaFactoryResult {
  readonly rows: number;
  readonly kept: number;
  readonly examples: readonly { readonly kept: boolean; readonly system: string }[];
}

const factoryExamplesOf = (layout: LlamaFactoryLayout): readonly Example[] =>
  (layout.endsWith("sharegpt") ? examplesOf : plainExamplesOf)[layouts[layout].kind];

async function exportJob(layout: LlamaFactoryLayout): Promise<object> {
  const splits = [{ name: "train", examples: sourceOf(factoryExamplesOf(layout)) }];
  const at = await write(`lf-${layout}`, exportLlamaFactory({ name: "my set", layout, splits }));
  return { loader: "llamafactory", kind: layouts[layout].kind, folder: at, name: "my_set" };
}

async function anyRowsJob(rows: readonly object[]): Promise<object> {
  const at = join(folder, "any");
  await mkdir(at);
  await writeFile(
    join(at, "any.jsonl"),
    rows.map((conversations) => `${JSON.stringify({ conversations })}\n`).join(""),
  );
  const info = { any: { file_name: "any.jsonl", formatting: "sharegpt" } };
  await writeFile(join(at, "dataset_info.json"), JSON.stringify(info));
  return { loader: "llamafactory", kind: "sft", folder: at, name: "any" };
}

function systemOf(example: Example): string {
  if (example.kind === "cpt") return "";
  const [first] = example.kind === "sft" ? example.messages : example.prompt;
  return first?.role === "system" ? first.content : "";
}

function sourceOf(examples: readonly Example[]): ExampleSource {
  return async function* () {
    yield examples;
  };
}

async function write(name: string, { files }: DatasetExport): Promise<string> {
  for (const { path, chunks } of files) {
    const target = join(folder, name, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, (await Array.fromAsync(chunks())).join(""));
  }
  return join(folder, name);
}

let runs = 0;
async function load(jobs: readonly object[]): Promise<unknown[]> {
  const run = join(folder, `run-${runs++}`);
  await writeFile(`${run}-jobs.json`, JSON.stringify(jobs));
  const script = join(import.meta.dirname, "../testing/load_export.py");
  await promisify(execFile)(python ?? (factory as string), [script, `${run}-jobs.json`, `${run}-results.json`], {
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(await readFile(`${run}-results.json`, "utf8")) as unknown[];
}

/** A Python that has the packages: of DATASETS_PYTHON, the one that `npm run setup:python-datasets` makes, or the system's. */
function findPython(modules: string): string | undefined {
  const own = join(import.meta.dirname, "../../../../../../../.work/python-datasets/bin/python");
  const candidates = [process.env["DATASETS_PYTHON"] ?? "", own, "python3"];
  const found = candidates.find(
    (path) =>
      path !== "" &&
      (!path.includes("/") || existsSync(path)) &&
      spawnSync(path, ["-c", `import ${modules}`]).status === 0,
  );
  if (found === undefined)
    process.stderr.write(`skipped: no Python with ${modules}; run npm run setup:python-datasets\n`);
  return found;
}
