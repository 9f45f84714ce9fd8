import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InferenceSessionView, LoadAnswer, LoadRequest } from "@attune/contracts/compute/inference-api.ts";
import { loadRequest } from "@attune/contracts/compute/inference-api.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { type FakeWorkerScript, writeFakeModel } from "@attune/testkit/fake-inference-worker-model.ts";
import { createGpuLeases } from "../devices/create-gpu-leases.ts";
import { createFakeDevices, type FakeDevices } from "../devices/devices.fixture.ts";
import type { GpuLeases } from "../devices/gpu-leases.ts";
import { createFakeTransformers } from "../engines/transformers/fake-transformers.fixture.ts";
import type { WorkerSettings } from "../engines/transformers/transformers-engine.ts";
import type { InferenceEngine } from "../engines/inference-engine.ts";
import { createInferenceSessions, type InferenceDeps, type InferenceSessions } from "./create-inference-sessions.ts";

export interface TestInference extends AsyncDisposable {
  readonly sessions: InferenceSessions;
  readonly leases: GpuLeases;
  readonly devices: FakeDevices;
  readonly folder: string;
  /** @returns path of a model that the fake worker loads */
  makeModel(script?: FakeWorkerScript): Promise<string>;
  load(request: Partial<LoadRequest> & { readonly model_path: string }): Promise<LoadAnswer>;
  /** Loads and waits until the session is ready or failed. */
  loaded(request: Partial<LoadRequest> & { readonly model_path: string }): Promise<InferenceSessionView>;
  /** Waits until a session is in this state. */
  until(loadId: string | null, state: string): Promise<InferenceSessionView>;
}

export interface TestInferenceOptions extends Partial<Omit<InferenceDeps, "engines">> {
  readonly gpuCount?: number;
  readonly worker?: Partial<WorkerSettings>;
  /** Beside the one with the fake worker. */
  readonly engines?: readonly InferenceEngine[];
}

/** Sessions with real leases, and the transformers engine with a fake worker. */
export async function startTestInference(options: TestInferenceOptions = {}): Promise<TestInference> {
  const { gpuCount = 0, worker, engines = [], ...deps } = options;
  const folder = await mkdtemp(join(tmpdir(), "attune-inference-"));
  const devices = createFakeDevices(gpuCount);
  const logger = createLogger("test", "silent");
  const { engine, processes } = createFakeTransformers(worker);
  const known: { sessions?: InferenceSessions } = {};
  const isHolderAlive = (holder: string): boolean => known.sessions?.isLive(holder) ?? false;
  const leases = await createGpuLeases({
    path: join(folder, "leases.json"),
    devices,
    processes: { isAlive: (holder) => isHolderAlive(holder), holderOf: () => undefined },
    findClaims: async () => [],
    logger,
  });
  const sessions = createInferenceSessions({
    engines: [engine, ...engines],
    leases,
    devices,
    folder: join(folder, "inference"),
    maxWaiting: 2,
    maxModels: 4,
    loadTimeoutMs: 30_000,
    // A slow machine must not make another answer of what is known at once.
    answerWithinMs: 20_000,
    logger,
    ...deps,
  });
  known.sessions = sessions;
  let models = 0;
  const load = (request: Partial<LoadRequest>) => sessions.load(loadRequest.parse(request));
  const until = async (loadId: string | null, state: string) => {
    for (;;) {
      const session = sessions.status({}).find((each) => each.load_id === loadId);
      if (session?.state === state) return session;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    sessions,
    leases,
    devices,
    folder,
    makeModel: (script) => writeFakeModel(join(folder, `model-${++models}`), script),
    load,
    loaded: async (request) => {
      const { load_id: loadId, message } = await load(request);
      if (loadId === null) throw new Error(message);
      for (;;) {
        const session = sessions.status({ load_id: loadId })[0];
        if (session === undefined) throw new Error("the session is gone");
        if (session.state !== "starting") return session;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    until,
    [Symbol.asyncDispose]: async () => {
      await sessions.close();
      processes.close();
      await leases.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
