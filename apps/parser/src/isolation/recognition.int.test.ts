import { AppError } from "@attune/service-kit/app-error.ts";
import { afterEach, describe, expect, test } from "vitest";
import type { Recogniser, RecogniseRequest, Recognition } from "../ocr/recogniser.ts";
import { createWorkerPool, type WorkerPool } from "./create-worker-pool.ts";
import { plainOptions } from "./testing/parse-options.ts";
import { limitsWithin, misbehavingEntry, noSignal, reasonOf, until } from "./testing/pool-harness.ts";

interface Asked {
  readonly requests: RecogniseRequest[];
  readonly signals: AbortSignal[];
  readonly recogniser: Recogniser;
}

function recogniserThat(answer: (signal: AbortSignal) => Promise<Recognition>): Asked {
  const requests: RecogniseRequest[] = [];
  const signals: AbortSignal[] = [];
  const recogniser: Recogniser = {
    listLanguages: () => Promise.resolve({ languages: ["eng", "deu"] }),
    recognise: (request, signal) => {
      requests.push({ ...request, picture: { ...request.picture, pixels: new Uint8Array(request.picture.pixels) } });
      signals.push(signal);
      return answer(signal);
    },
  };
  return { requests, signals, recogniser };
}

const forever = () => new Promise<Recognition>(() => undefined);

describe("what a worker asks in the middle of a document", () => {
  let pool: WorkerPool | undefined;
  afterEach(async () => pool?.close());

  const start = async (recogniser?: Recogniser, timeoutMs = 20_000) => {
    const given = {
      workers: 1,
      memoryMib: 512,
      warmFormats: [],
      workerEntry: misbehavingEntry,
      limits: limitsWithin(timeoutMs),
    };
    const started = await createWorkerPool(given, recogniser && { recogniser });
    pool = started;
    return async (fileName: string, signal = noSignal) => {
      const input = { bytes: new Uint8Array(1), fileName, format: "txt" };
      return Buffer.from((await started.read(input, plainOptions, signal)).content).toString();
    };
  };

  test("is answered, as often as it asks", async () => {
    const asked = recogniserThat(() => Promise.resolve({ outcome: "read", hocr: "größer" }));
    const act = await start(asked.recogniser);
    expect(await act("languages")).toBe('{"languages":["eng","deu"]}');
    expect(await act("recognise=40x30")).toBe('{"outcome":"read","hocr":"größer"}');
    expect(await act("recognise=40x30")).toBe('{"outcome":"read","hocr":"größer"}');
    expect(asked.requests[1]).toMatchObject({
      languages: ["eng"],
      timeoutMs: 5000,
      picture: { width: 40, height: 30, dpi: 200 },
    });
    expect(asked.requests[1]?.picture.pixels).toEqual(Uint8Array.from({ length: 1200 }, (_, at) => at % 251));
  });

  test("a picture of many pixels comes through whole", async () => {
    const asked = recogniserThat(() => Promise.resolve({ outcome: "read", hocr: "x".repeat(3_000_000) }));
    const act = await start(asked.recogniser);
    expect((await act("recognise=1500x2000")).length).toBeGreaterThan(3_000_000);
    expect(asked.requests[0]?.picture.pixels.at(-1)).toBe((1500 * 2000 - 1) % 251);
  });

  test("a recogniser that fails, and none at all, are told to the worker", async () => {
    const failing = recogniserThat(() => Promise.reject(new Error("broken")));
    expect(await (await start(failing.recogniser))("recognise=4x3")).toBe(
      '{"outcome":"failed","detail":"OCR failed."}',
    );
    await pool?.close();
    const act = await start();
    expect(await act("languages")).toBe('{"languages":[]}');
    expect(await act("recognise=4x3")).toBe('{"outcome":"failed","detail":"OCR failed."}');
  });

  test("ends with the call that is cancelled", async () => {
    const asked = recogniserThat(forever);
    const act = await start(asked.recogniser);
    const controller = new AbortController();
    const reason = new AppError("CALL_CANCELLED");
    const reading = act("recognise=4x3", controller.signal).catch((error: unknown) => error);
    await until(() => asked.signals.length === 1);
    controller.abort(reason);
    expect(await reading).toBe(reason);
    expect(asked.signals[0]?.aborted).toBe(true);
    expect(await act("echo=next")).toBe("next");
  });

  test("ends with the time of the document", async () => {
    const asked = recogniserThat(forever);
    const act = await start(asked.recogniser, 500);
    expect(await reasonOf(act("recognise=4x3"))).toBe("PARSE_TIMEOUT");
    expect(asked.signals[0]?.aborted).toBe(true);
  });

  test.each([
    ["asks before it was answered", "twice"],
    ["sends a picture of another size", "oversize"],
    ["asks for languages that are none", "strange"],
  ])("a worker that %s is put down, and its questions with it", async (_name, action) => {
    const asked = recogniserThat(forever);
    const act = await start(asked.recogniser);
    expect(await reasonOf(act(action))).toBe("PARSER_CRASHED");
    expect(asked.signals.every((signal) => signal.aborted)).toBe(true);
  });
});
