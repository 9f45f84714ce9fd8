import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { isEnded, type JobView } from "@attune/contracts/compute/run-record.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createGpuLeases } from "../../devices/create-gpu-leases.ts";
import { createFakeDevices, type FakeDevices } from "../../devices/devices.fixture.ts";
import type { GpuLeases } from "../../devices/gpu-leases.ts";
import type { JobEngine } from "../../engines/job-engine.ts";
import type { Scheduler } from "../../schedulers/scheduler.ts";
import { createRuns, type Runs } from "../create-runs.ts";
import { defaultRunSettings, type RunSettings } from "../run-settings.ts";
import { openRunStore, type RunStore } from "../run-store.ts";
import type { FinishRun } from "../settle-run.ts";
import { fakeEngine } from "./fake-engine.ts";

export interface TestRunsOptions {
  /** Of the agent; made where it is not there. */
  readonly dataFolder: string;
  readonly gpus?: number;
  readonly settings?: Partial<RunSettings>;
  readonly engines?: readonly JobEngine[];
  readonly finish?: FinishRun;
  readonly monotonicMs?: () => number;
  readonly schedulers?: readonly Scheduler[];
  readonly usersOf?: (folder: string) => readonly string[];
}

export interface TestRuns {
  readonly runs: Runs;
  readonly store: RunStore;
  readonly leases: GpuLeases;
  readonly devices: FakeDevices;
  /** Lets go of all runs, whose processes go on. */
  close(): Promise<void>;
}

/** Runs on a folder, as an agent makes them: with leases of simulated GPUs, and short times. */
export async function startRuns(options: TestRunsOptions): Promise<TestRuns> {
  const { dataFolder, gpus = 4, settings, engines = [fakeEngine], finish = async () => undefined } = options;
  const { usersOf = () => [], schedulers = [] } = options;
  const logger = createLogger("runs", "silent");
  await mkdir(dataFolder, { recursive: true });
  const store = await openRunStore(join(dataFolder, "runs"), logger);
  const devices = createFakeDevices(gpus);
  const leases = await createGpuLeases({
    path: join(dataFolder, "leases.json"),
    devices,
    processes: { isAlive: (holder) => store.isAlive(holder), holderOf: (pid) => store.holderOf(pid) },
    findClaims: async () => store.claims(),
    logger,
  });
  const runs = await createRuns({
    store,
    leases,
    devices: { latest: () => devices.latest(), isSimulated: true },
    engines,
    schedulers,
    usersOf,
    // oxlint-disable-next-line node/no-process-env -- what the agent would be given
    environment: process.env,
    finish,
    logger,
    settings: {
      ...defaultRunSettings,
      cpuRunsAtOnce: 8,
      killAfterMs: 300,
      earlyGraceMs: 300,
      lingerMs: 500,
      ...settings,
    },
    ...(options.monotonicMs !== undefined && { monotonicMs: options.monotonicMs }),
  });
  const close = async () => {
    await runs.close();
    await leases.close();
  };
  return { runs, store, leases, devices, close };
}

/** Waits until the run is as it is wanted. @throws Error when it ends otherwise, or takes too long. */
// oxlint-disable-next-line max-params -- as it reads
export async function untilRun(
  runs: Runs,
  jobId: string,
  isAsWanted: (job: JobView) => boolean,
  patienceMs = 25_000,
): Promise<JobView> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const job = await runs.get(jobId);
    if (isAsWanted(job)) return job;
    const isOver = isEnded(job.state) || performance.now() > endMs;
    if (isOver) throw new Error(`the run is not as it was wanted: ${JSON.stringify(job)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const untilEnded = (runs: Runs, jobId: string): Promise<JobView> =>
  untilRun(runs, jobId, ({ state }) => isEnded(state));
