import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "@attune/service-kit/create-id.ts";
import { writeFakeProgram } from "@attune/testkit/write-fake-program.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readEnvironment } from "../../process/read-processes.ts";
import { createEngineLog } from "../create-engine-log.ts";
import { createEngineProcesses } from "../create-engine-processes.ts";
import { describeInferenceEngine, plainModel } from "../inference-engine.contract.ts";
import type { ModelToLoad } from "../inference-engine.ts";
import { createLlamaServerEngine } from "./llama-server-engine.ts";

const settings = { threads: 1, parallel: 2, cacheMib: 64, stallMs: 20_000, unloadGraceMs: 5000 };

/** What the check reads of a GGUF file of version 3, and room for what it counts. */
async function writeGguf(folder: string, name: string): Promise<ModelToLoad> {
  const bytes = Buffer.alloc(2048);
  bytes.write("GGUF");
  bytes.writeUInt32LE(3, 4);
  bytes.writeBigUInt64LE(21n, 8);
  bytes.writeBigUInt64LE(24n, 16);
  const path = join(folder, name);
  await writeFile(path, bytes);
  return plainModel(path);
}

describeInferenceEngine("llama_server, with a fake program", async (folder) => {
  const processes = createEngineProcesses({ PATH: "/usr/bin:/bin" });
  const program = await writeFakeProgram(folder, "llama-server");
  return {
    engine: createLlamaServerEngine({ program, ...settings }, processes),
    model: await writeGguf(folder, "model.gguf"),
    endless: await writeGguf(folder, "endless.gguf"),
    slow: await writeGguf(folder, "slow.gguf"),
    missing: plainModel(join(folder, "nothing.gguf")),
    otherFormat: plainModel(folder),
    hasProcess: true,
    [Symbol.asyncDispose]: async () => processes.close(),
  };
});

describe("llama_server", () => {
  const processes = createEngineProcesses({ PATH: "/usr/bin:/bin" });
  let folder = "";
  let program = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "attune-llama-"));
    program = await writeFakeProgram(folder, "llama-server");
  });
  afterAll(async () => {
    processes.close();
    await rm(folder, { recursive: true, force: true });
  });
  const load = async (model: ModelToLoad, onStarted: (pid: number) => void = () => undefined) => {
    const sessionId = createId();
    const log = createEngineLog(join(folder, `${sessionId}.log`));
    const ports = { sessionId, folder, log, onProgress: () => undefined, onStarted };
    const engine = createLlamaServerEngine({ program, ...settings }, processes);
    return engine.load(model, ports, new AbortController().signal);
  };

  test("gives each chat the context that was asked for", async () => {
    const handle = await load({ ...(await writeGguf(folder, "model.gguf")), contextLength: 512 });
    expect(handle).toMatchObject({ contextLength: 512, concurrency: 2, memoryBytes: 461_056 });
    await handle.unload();
  });

  test("bounds the memory for what was read of earlier chats", async () => {
    let server = 0;
    const handle = await load(await writeGguf(folder, "model.gguf"), (pid) => (server = pid));
    expect(readEnvironment(server)).toContain("LLAMA_ARG_CACHE_RAM=64");
    await handle.unload();
  });

  test("says from its log why a load failed", async () => {
    await expect(load(await writeGguf(folder, "corrupt.gguf"))).rejects.toMatchObject({
      reason: "MODEL_CORRUPT",
      message: expect.stringContaining("not within the file bounds"),
    });
  });

  test.each([
    ["another format", "not a model", "MODEL_CORRUPT"],
    ["a file that ends in its header", "GGUF\u0003", "MODEL_CORRUPT"],
  ])("refuses %s before anything is started", async (_, content, reason) => {
    const path = join(folder, "odd.gguf");
    await writeFile(path, content);
    const engine = createLlamaServerEngine({ program, ...settings }, processes);
    await expect(engine.check(plainModel(path))).rejects.toMatchObject({ reason });
  });

  test("refuses what a GGUF file decides itself", async () => {
    const engine = createLlamaServerEngine({ program, ...settings }, processes);
    const model = await writeGguf(folder, "model.gguf");
    await expect(engine.check({ ...model, quantisation: "nf4" })).rejects.toMatchObject({
      reason: "MODEL_UNSUPPORTED",
    });
  });
});
