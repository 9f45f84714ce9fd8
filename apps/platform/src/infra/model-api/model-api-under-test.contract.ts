import { AppError } from "@attune/service-kit/app-error.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { type FakeModelApi, startFakeModelApi } from "@attune/testkit/fake-model-api.ts";
import type { FakeModelApiOptions } from "@attune/testkit/fake-model-api-protocol.ts";
import { createModelApis } from "./create-model-apis.ts";
import type { ChatDelta, ChatRequest, ModelApi, ModelEndpoint } from "./model-api.ts";
import { defaultModelApiSettings, type ModelApiSettings } from "./model-api-settings.ts";

export const testKey = "sk-planted-4f9d2c7be1a8";

export interface ApiUnderTest extends AsyncDisposable {
  readonly fake: FakeModelApi;
  readonly api: ModelApi;
  /** A client of another model or URL, with the same limits behind it. */
  open(endpoint?: Partial<ModelEndpoint>): ModelApi;
  /** Waits before retries, in ms; they are not waited for. */
  readonly waitsMs: readonly number[];
}

export interface UnderTestOptions {
  readonly fake?: FakeModelApiOptions;
  readonly settings?: Partial<ModelApiSettings>;
  readonly endpoint?: Partial<ModelEndpoint>;
}

/** The client, and the fake server that it calls. Retries do not wait, but say how long they would. */
export async function startApiUnderTest(options: UnderTestOptions = {}): Promise<ApiUnderTest> {
  const fake = await startFakeModelApi({ apiKey: testKey, ...options.fake });
  const waitsMs: number[] = [];
  // Time goes on by what was slept, so that what waits for a time comes to it.
  let sleptMs = 0;
  const clock = {
    nowMs: () => performance.now() + sleptMs,
    sleep: async (waitMs: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      waitsMs.push(waitMs);
      sleptMs += waitMs;
    },
  };
  const settings = { ...defaultModelApiSettings, ...options.settings };
  const apis = createModelApis({ settings, clock, random: () => 0.5 });
  const open = (endpoint: Partial<ModelEndpoint> = {}) =>
    apis.open({
      apiUrl: fake.apiUrl,
      apiModel: "fake-chat",
      secret: new Secret(testKey),
      ...options.endpoint,
      ...endpoint,
    });
  return {
    fake,
    api: open(),
    open,
    waitsMs,
    [Symbol.asyncDispose]: async () => {
      await apis.close();
      await fake[Symbol.asyncDispose]();
    },
  };
}

export const say = (content: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [{ role: "user", content }],
  ...more,
});

export const never = new AbortController().signal;

export async function collect(deltas: AsyncIterable<ChatDelta>): Promise<ChatDelta[]> {
  const all: ChatDelta[] = [];
  for await (const delta of deltas) all.push(delta);
  return all;
}

/** The reason of an AppError, with what it tells; the error itself when it is another one. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "no failure";
  } catch (error) {
    return error instanceof AppError ? error.message : `not an AppError: ${String(error)}`;
  }
}
