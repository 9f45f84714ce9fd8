import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workerEvent, type WorkerEvent, type WorkerEventOf } from "@attune/contracts/compute/worker-events.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findTrainerPython, trainerSources } from "../serve/find-trainer-python.ts";
import { startServe, textOf } from "../serve/start-serve.ts";
import { makeTaughtModels, questions, type TaughtModels } from "../serve/taught-models.ts";

const python = findTrainerPython("attune-export with a tiny model");
const llamaCpp = process.env["ATTUNE_LLAMA_CPP"];
if (python !== undefined && llamaCpp === undefined) {
  console.log("GGUF is not made: ATTUNE_LLAMA_CPP does not name a folder of llama.cpp.");
}
// Python imports torch for seconds, and for far more on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

describe.skipIf(python === undefined)("attune-export", () => {
  const root = mkdtempSync(join(tmpdir(), "attune-export-"));
  let models: TaughtModels;

  beforeAll(async () => {
    models = await makeTaughtModels(python as string);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  interface Exported {
    readonly folder: string;
    readonly status: number | null;
    readonly events: readonly WorkerEvent[];
  }
  async function runExport(spec: object, env: Readonly<Record<string, string>> = {}): Promise<Exported> {
    const folder = mkdtempSync(join(root, "run-"));
    writeFileSync(join(folder, "spec.json"), JSON.stringify({ kind: "export", ...spec }));
    const base = { ...process.env, PYTHONPATH: `${trainerSources}:${process.env["PYTHONPATH"] ?? ""}` };
    const child = spawn(python as string, ["-m", "attune_trainer.export", folder], {
      env: { ...base, OMP_NUM_THREADS: "1", CUDA_VISIBLE_DEVICES: "", ATTUNE_LLAMA_CPP: llamaCpp ?? "", ...env },
      stdio: "ignore",
    });
    const [status] = (await once(child, "close")) as [number | null];
    const lines = readFileSync(join(folder, "events.ndjson"), "utf8").trimEnd().split("\n");
    return { folder, status, events: lines.map((line) => workerEvent.parse(JSON.parse(line))) };
  }
  const only = <TType extends WorkerEvent["type"]>(events: readonly WorkerEvent[], type: TType) =>
    events.filter((event) => event.type === type) as WorkerEventOf<TType>[];

  test("a merged model gives the answers of base and adapter to the same prompts, and every file is listed", async () => {
    const spec = { model: { path: models.path("base") }, adapter_path: models.path("adapter") };
    const { folder, status, events } = await runExport({ ...spec, targets: ["merged", "ollama", "vllm"] });
    expect(status).toBe(0);
    for (const { path, size_bytes: size, checksum_sha256: checksum } of only(events, "artifact")) {
      const bytes = readFileSync(join(folder, path));
      expect({ size, checksum }).toEqual({
        size: statSync(join(folder, path)).size,
        checksum: createHash("sha256").update(bytes).digest("hex"),
      });
    }
    const modelfile = readFileSync(join(folder, "output/ollama/Modelfile"), "utf8");
    expect(modelfile).toContain("FROM ../merged\n");
    expect(modelfile).toContain('PARAMETER stop "<|im_end|>"');
    expect(existsSync(join(folder, "output.draft"))).toBe(false);

    await using worker = startServe(python as string);
    worker.send({ cmd: "load", model_path: join(folder, "output/merged") });
    await worker.next(({ type }) => type === "ready");
    for (const question of Object.values(questions)) {
      const messages = [{ role: "user", content: question }];
      const answer = await worker.chat({ request_id: question, messages, generation: {} });
      const { text, ...counts } = models.adapter[question] as (typeof models.adapter)[string];
      expect(textOf(answer)).toBe(text);
      expect(answer.at(-2)).toMatchObject(counts);
    }
  });

  test("without llama.cpp there is no GGUF, which is told before anything is loaded", async () => {
    const spec = { model: { path: models.path("base") }, targets: ["gguf"] };
    const { folder, status, events } = await runExport(spec, { ATTUNE_LLAMA_CPP: "" });
    expect(status).toBe(7);
    expect(events.map(({ type }) => type)).toEqual(["hello", "error", "done"]);
    expect(only(events, "error")[0]).toMatchObject({
      code: "environment",
      hint: expect.stringContaining("ATTUNE_LLAMA_CPP"),
    });
    expect(existsSync(join(folder, "output"))).toBe(false);
  });

  test.skipIf(llamaCpp === undefined)(
    "llama.cpp makes GGUF of model and adapter, where it knows the tokenizer",
    async () => {
      const spec = { model: { path: models.path("pieces") }, adapter_path: models.path("pieces-adapter") };
      const { folder, status, events } = await runExport({ ...spec, targets: ["gguf", "gguf_lora"], gguf_type: "f32" });
      expect({ status, errors: only(events, "error") }).toEqual({ status: 0, errors: [] });
      for (const name of ["model-f32.gguf", "adapter.gguf"]) {
        expect(
          readFileSync(join(folder, "output", name))
            .subarray(0, 4)
            .toString("latin1"),
        ).toBe("GGUF");
      }
      const unknown = await runExport({ model: { path: models.path("base") }, targets: ["gguf"] });
      expect(only(unknown.events, "error")[0]).toMatchObject({ code: "unsupported_architecture" });
    },
  );
});
