import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { isAlive } from "@attune/testkit/processes.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { listFamily } from "../process/end-group.ts";
import { createEngineLog } from "./create-engine-log.ts";
import type {
  ChatEvent,
  ChatRequest,
  InferenceEngine,
  LoadedModel,
  LoadProgress,
  ModelToLoad,
} from "./inference-engine.ts";

/** One engine with models of its own. */
export interface EngineUnderTest extends AsyncDisposable {
  readonly engine: InferenceEngine;
  /** A model that answers at its own pace, at least eight tokens to everything. */
  readonly model: ModelToLoad;
  /** One whose answers go on until they are cancelled or reach max_new_tokens. */
  readonly endless: ModelToLoad;
  /** Of another engine's format; undefined where there is no such thing. */
  readonly otherFormat?: ModelToLoad;
  /** One that check refuses. */
  readonly missing: ModelToLoad;
  /** One whose load takes long; undefined where a load is over at once. */
  readonly slow?: ModelToLoad;
  /** Whether it has processes of its own. */
  readonly hasProcess: boolean;
}

export const plainModel = (modelPath: string): ModelToLoad => ({
  modelPath,
  adapterPath: undefined,
  gpus: [],
  dtype: "auto",
  quantisation: "none",
  contextLength: undefined,
});

export const ask = (content: string, generation: Partial<ChatRequest["generation"]> = {}): ChatRequest => ({
  messages: [{ role: "user", content }],
  generation: {
    max_new_tokens: 64,
    temperature: 0,
    top_p: 1,
    top_k: 0,
    repetition_penalty: 1,
    stop: [],
    ...generation,
  },
});

const never = new AbortController().signal;

/** What every engine that holds a model keeps to. */
export function describeInferenceEngine(name: string, start: (folder: string) => Promise<EngineUnderTest>): void {
  describe(`${name} keeps the contract of inference engines`, () => {
    let folder = "";
    let under: EngineUnderTest;
    const loaded: LoadedModel[] = [];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "attune-engine-"));
      under = await start(folder);
    });
    afterEach(async () => {
      for (const model of loaded.splice(0)) await model.unload();
    });
    afterAll(async () => {
      await under[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });

    const load = async (model = under.model, signal = never) => {
      const sessionId = createId();
      const seen: { pid: number | undefined; readonly progress: LoadProgress[] } = { pid: undefined, progress: [] };
      const log = createEngineLog(join(folder, `${sessionId}.log`));
      const ports = {
        sessionId,
        folder,
        log,
        onProgress: (progress: LoadProgress) => void seen.progress.push(progress),
        onStarted: (pid: number) => void (seen.pid = pid),
      };
      const left = () => listFamily({ runId: sessionId, leader: undefined });
      try {
        const handle = await under.engine.load(model, ports, signal);
        loaded.push(handle);
        return { handle, seen, left };
      } catch (error) {
        expect(left(), "processes that a load which failed has left").toEqual([]);
        throw error;
      }
    };
    const say = (handle: LoadedModel, request: ChatRequest, signal = never) => collect(handle.chat(request, signal));

    test("it says what it is, and that it can be used", async () => {
      const report = await under.engine.report();
      expect(report).toMatchObject({ name: under.engine.name, available: true, unavailableReason: "" });
      expect(report.description).not.toBe("");
    });

    test("it takes models of its format, and refuses what is not there before anything is started", async () => {
      const takesOther = under.otherFormat !== undefined && (await under.engine.canLoad(under.otherFormat));
      expect(takesOther).toBe(false);
      await under.engine.check(under.model);
      await expect(under.engine.check(under.missing)).rejects.toThrow(AppError);
    });

    test("a load tells its process and its stages, and ends with all of it", async () => {
      const { handle, seen, left } = await load();
      expect(handle.concurrency).toBeGreaterThan(0);
      expect(seen.progress[0]?.stage).toBe(under.hasProcess ? "spawn" : undefined);
      expect(left().includes(seen.pid ?? 0)).toBe(under.hasProcess);
      await handle.unload();
      expect(left()).toEqual([]);
      expect(await handle.ended).toBeUndefined();
      await handle.unload();
      await expect(say(handle, ask("Still there?"))).rejects.toThrow(AppError);
    });

    test("an answer is text, then what it used, then why it ended", async () => {
      const { handle } = await load();
      const events = await say(handle, ask("One two three four five six"));
      expect(textOf(events)).not.toBe("");
      expect(events.slice(-2)).toEqual([
        { type: "usage", promptTokens: expect.any(Number), completionTokens: expect.any(Number) },
        { type: "done", finish: "stop" },
      ]);
      expect(await say(handle, ask("One two three four five six"))).toEqual(events);
    });

    test("max_new_tokens ends an answer", async () => {
      const { handle } = await load();
      const events = await say(handle, ask("One two three four five six", { max_new_tokens: 3 }));
      expect(events.at(-1)).toEqual({ type: "done", finish: "length" });
      expect(events.at(-2)).toMatchObject({ type: "usage", completionTokens: 3 });
    });

    test("who is gone before it begins gets nothing", async () => {
      const { handle } = await load();
      expect(await say(handle, ask("Hello"), AbortSignal.abort())).toEqual([{ type: "done", finish: "cancelled" }]);
      expect(await say(handle, ask("Hello"))).toContainEqual({ type: "done", finish: "stop" });
    });

    test("an aborted signal ends the answer, and the next one is answered", async () => {
      const { handle } = await load(under.endless);
      const leaving = new AbortController();
      const events: ChatEvent[] = [];
      for await (const event of handle.chat(ask("Go on", { max_new_tokens: 1_000_000 }), leaving.signal)) {
        events.push(event);
        leaving.abort();
      }
      expect(events.at(-1)).toEqual({ type: "done", finish: "cancelled" });
      expect((await say(handle, ask("Hello", { max_new_tokens: 2 }))).at(-1)).toEqual({
        type: "done",
        finish: "length",
      });
    });

    test("a reader who stops to read ends the answer, and the next one is answered", async () => {
      const { handle } = await load(under.endless);
      for await (const event of handle.chat(ask("Go on", { max_new_tokens: 1_000_000 }), never)) {
        expect(event.type).toBe("delta");
        break;
      }
      expect((await say(handle, ask("Hello", { max_new_tokens: 2 }))).at(-1)).toEqual({
        type: "done",
        finish: "length",
      });
    });

    test("an engine that is killed in the middle of an answer says so, to the chat and for the model", async () => {
      if (!under.hasProcess) return;
      const { handle, seen, left } = await load(under.endless);
      const chat = (async () => {
        for await (const event of handle.chat(ask("Go on", { max_new_tokens: 1_000_000 }), never)) {
          if (event.type === "delta" && isAlive(seen.pid ?? 0)) process.kill(seen.pid ?? 0, "SIGKILL");
        }
      })();
      await expect(chat).rejects.toMatchObject({ reason: "INFERENCE_ENGINE_DIED" });
      expect(await handle.ended).toMatchObject({ reason: "INFERENCE_ENGINE_DIED" });
      expect(left()).toEqual([]);
    });

    test("a load that is given up leaves no process", async () => {
      if (under.slow === undefined) return;
      const leaving = new AbortController();
      const why = new AppError("MODEL_LOAD_TIMEOUT");
      const loading = load(under.slow, leaving.signal);
      loading.catch(() => undefined);
      setTimeout(() => leaving.abort(why), 300);
      await expect(loading).rejects.toBe(why);
    });
  });
}

export async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const collected: ChatEvent[] = [];
  for await (const event of events) {
    const last = collected.at(-1);
    // How text is cut into pieces is nobody's concern.
    if (event.type === "delta" && last?.type === "delta") {
      collected[collected.length - 1] = { type: "delta", text: last.text + event.text };
    } else collected.push(event);
  }
  return collected;
}

export const textOf = (events: readonly ChatEvent[]): string =>
  events.map((event) => (event.type === "delta" ? event.text : "")).join("");
