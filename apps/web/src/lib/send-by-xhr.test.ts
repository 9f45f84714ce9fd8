import { createClient, ProblemError } from "@attune/contracts/rest/create-client.ts";
import { uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sendByXhr } from "./send-by-xhr.ts";

/** As much of XMLHttpRequest as is used, told by the test what happens. */
class ToldRequest extends EventTarget {
  static last: ToldRequest;
  readonly upload = new EventTarget();
  readonly headers: Record<string, string> = {};
  url = "";
  status = 0;
  statusText = "";
  responseText = "";
  wasAborted = false;
  constructor() {
    super();
    ToldRequest.last = this;
  }
  open(_: string, url: string): void {
    this.url = url;
  }
  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  getAllResponseHeaders(): string {
    return 'content-type: application/json\r\netag: "3"\r\n';
  }
  send(): void {}
  abort(): void {
    this.wasAborted = true;
    this.dispatchEvent(new Event("abort"));
  }
  progress(loaded: number): void {
    this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded }));
  }
}

const params = { dataset_id: "01890a5d-ac96-774b-bcce-b302099a8057" };
const query = { name: "a.jsonl" };
const start = (onProgress: (bytes: number) => void, signal?: AbortSignal) =>
  createClient({
    baseUrl: "",
    token: () => "secret",
    fetch: sendByXhr({ onProgress, stallTimeoutMs: 120_000 }),
  }).call(uploadDatasetFile, { params, query, upload: "{}", ...(signal && { signal }) });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("XMLHttpRequest", ToldRequest);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("an upload carries the token, tells its progress and gives the answer", async () => {
  const told: number[] = [];
  const answer = start((bytes) => told.push(bytes));
  ToldRequest.last.progress(10);
  await vi.advanceTimersByTimeAsync(119_000);
  ToldRequest.last.progress(20);
  await vi.advanceTimersByTimeAsync(119_000);
  Object.assign(ToldRequest.last, { status: 201, responseText: '{"version":1}' });
  ToldRequest.last.dispatchEvent(new Event("load"));
  await expect(answer).resolves.toMatchObject({ status: 201, body: { version: 1 }, etag: '"3"' });
  expect(told).toEqual([10, 20]);
  expect(ToldRequest.last.headers["authorization"]).toBe("Bearer secret");
  expect(ToldRequest.last.url).toContain("/files?name=a.jsonl");
});

test("an upload that stands still for 120 seconds is given up and says how to go on", async () => {
  const failure = start(() => undefined).catch((error: unknown) => error);
  ToldRequest.last.progress(10);
  await vi.advanceTimersByTimeAsync(120_000);
  const error = await failure;
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).cause).toMatchObject({ problem: { reason: "UPLOAD_STALLED" } });
  expect(ToldRequest.last.wasAborted).toBe(true);
});

test("an upload that the user stops ends as aborted", async () => {
  const controller = new AbortController();
  const failure = start(() => undefined, controller.signal).catch((error: unknown) => error);
  controller.abort();
  await expect(failure).resolves.toMatchObject({ name: "AbortError" });
});
