import type { ArtifactView, JobPage, JobRequest, JobView, StopRequest } from "@attune/contracts/compute/run-record.ts";
import { isEnded } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import type { DeviceProvider } from "../devices/device-provider.ts";
import type { GpuLeases } from "../devices/gpu-leases.ts";
import { normaliseGpuRequest } from "../devices/normalise-gpu-request.ts";
import { checkAllowedPaths } from "../files/check-allowed-paths.ts";
import { readLogTail } from "../process/read-log-tail.ts";
import { clusterGpuRequest } from "./cluster-gpu-request.ts";
import { createSupervisor, type Supervisor } from "./create-supervisor.ts";
import { listArtifacts } from "./list-artifacts.ts";
import { pathsOf } from "./paths-of.ts";
import { type EventRange, readRunEvents, type RunEvent } from "./read-run-events.ts";
import { recoverRuns } from "./recover-runs.ts";
import { createRemoval, type RemoveDeps } from "./remove-run.ts";
import { defaultRunSettings, type RunSettings } from "./run-settings.ts";
import type { RunStore } from "./run-store.ts";
import type { FinishRun } from "./settle-run.ts";
import type { StoredRun } from "./stored-run.ts";
import {
  checkMemoryLimit,
  checkParties,
  checkSpec,
  engineOf,
  newRun,
  type Parties,
  requestSha256,
} from "./submit-run.ts";
import { toJobSummary, toJobView } from "./to-job-view.ts";

export interface RunsDeps extends Parties {
  readonly store: RunStore;
  readonly usersOf: RemoveDeps["usersOf"];
  readonly leases: GpuLeases;
  readonly devices: Pick<DeviceProvider, "latest" | "isSimulated">;
  /** The agent's own environment; workers get the few of its variables that they need. */
  readonly environment: Environment;
  /** Called when a worker is done, before the run counts as succeeded. */
  readonly finish: FinishRun;
  readonly logger: Logger;
  readonly settings?: RunSettings;
  /** Milliseconds that only ever grow. */
  readonly monotonicMs?: () => number;
}

export interface Runs {
  /**
   * Takes a run into the queue. The same id with the same request again gives the run that there is.
   * @throws AppError RUN_ID_TAKEN, ENGINE_UNAVAILABLE, RUN_NOT_STORED, PATH_NOT_ALLOWED, MEMORY_LIMIT_UNSUPPORTED, GPU_REQUEST_INVALID, GPU_NOT_FOUND.
   */
  submit(request: JobRequest): Promise<JobView>;
  /** @throws AppError RUN_NOT_FOUND, as all that follow. */
  get(jobId: string): Promise<JobView>;
  /** The newest first; `after` is the id of the last one that the caller has. @throws AppError RUN_NOT_FOUND when that was removed. */
  list(page: { readonly limit: number; readonly after?: string | undefined }): Promise<JobPage>;
  /** Asks it to save and end, within its grace time or a shorter one; the same again changes nothing. @throws AppError RUN_ENDED. */
  stop(jobId: string, request?: StopRequest): Promise<JobView>;
  /** Removes a run that has ended, with all its files. @throws AppError RUN_NOT_ENDED, RUN_IN_USE, RUN_NOT_REMOVED. */
  remove(jobId: string): Promise<void>;
  /** What it said from an offset on, then what it says, until it has ended. */
  events(jobId: string, range: EventRange, signal: AbortSignal): Promise<AsyncIterable<RunEvent>>;
  logTail(jobId: string, lines: number): Promise<readonly string[]>;
  /** @throws AppError RUN_ARTIFACT_CHANGED when a file is not as it was written; with `isHashed` its content is read, too. */
  artifacts(jobId: string, how: { readonly isHashed: boolean }, signal: AbortSignal): Promise<readonly ArtifactView[]>;
  /** Runs that have a process, for the figures of the node. */
  running(): number;
  /** Lets go of all runs, whose processes go on; the next agent finds them. */
  close(): Promise<void>;
}

/** Takes up the runs of earlier agents, ends what has no right to live, and begins to work on the queue. */
export async function createRuns(deps: RunsDeps): Promise<Runs> {
  const { store } = deps;
  const supervisor = createSupervisor({
    ...deps,
    settings: deps.settings ?? defaultRunSettings,
    monotonicMs: deps.monotonicMs ?? (() => performance.now()),
  });
  await recoverRuns(deps, supervisor);
  const find = async (jobId: string): Promise<StoredRun> => {
    const run = await store.find(jobId);
    if (run === undefined) throw new AppError("RUN_NOT_FOUND");
    return run;
  };
  const view = (run: StoredRun) => toJobView(run, supervisor.factsOf(run), store.paths(run.jobId));
  const inTurn = createTurn();
  const submit = createSubmit(deps, { supervisor, view });
  return {
    submit: (request) => inTurn(() => submit(request)),
    remove: createRemoval(deps, inTurn),
    get: async (jobId) => view(await find(jobId)),
    list: createList(store, supervisor),
    stop: async (jobId, request = {}) => {
      const run = await find(jobId);
      if (isEnded(run.state)) throw new AppError("RUN_ENDED", { detail: `It is ${run.state}.` });
      await supervisor.stop(jobId, request);
      return view(await find(jobId));
    },
    events: async (jobId, range, signal) => {
      await find(jobId);
      return readRunEvents({ store, jobId, ...range }, signal);
    },
    logTail: async (jobId, lines) => {
      await find(jobId);
      return readLogTail(store.paths(jobId).log, { lines });
    },
    artifacts: async (jobId, how, signal) =>
      listArtifacts(await find(jobId), { ...how, paths: store.paths(jobId) }, signal),
    running: () => store.active().filter(({ state }) => state !== "queued").length,
    close: () => supervisor.close(),
  };
}

function createList(store: RunStore, { factsOf }: Pick<Supervisor, "factsOf">): Runs["list"] {
  return async ({ limit, after }) => {
    const ids = store.ids();
    const start = after === undefined ? 0 : ids.indexOf(after) + 1;
    if (after !== undefined && start === 0) {
      throw new AppError("RUN_NOT_FOUND", { detail: "It is the one of `after`; list the jobs from the beginning." });
    }
    const page = ids.slice(start, start + limit);
    const runs = (await Promise.all(page.map((id) => store.find(id)))).filter((run) => run !== undefined);
    const hasMore = start + limit < ids.length;
    return {
      jobs: runs.map((run) => toJobSummary(run, factsOf(run))),
      next_after: hasMore ? (page.at(-1) ?? null) : null,
    };
  };
}

interface SubmitParts {
  readonly supervisor: Supervisor;
  readonly view: (run: StoredRun) => Promise<JobView>;
}

/** One after another, so that two requests of the same id make one run, and nothing is removed that a new run is to use. */
function createTurn() {
  let turn: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };
}

function createSubmit(deps: RunsDeps, { supervisor, view }: SubmitParts): Runs["submit"] {
  const { store, devices, logger } = deps;
  return async (request) => {
    const existing = request.job_id === undefined ? undefined : await store.find(request.job_id);
    if (existing !== undefined) {
      if (existing.requestSha256 !== requestSha256(request)) throw new AppError("RUN_ID_TAKEN");
      return view(existing);
    }
    await checkAllowedPaths(pathsOf(request.spec), deps.settings?.allowedFolders ?? []);
    await checkParties(request, deps);
    checkMemoryLimit(request, deps.settings);
    const isLocal = request.scheduler === "local";
    const gpuRequest = isLocal ? normaliseGpuRequest(request, devices.latest().gpus) : clusterGpuRequest(request);
    checkSpec(engineOf(request.engine, deps), request, gpuRequest);
    const run = newRun(request, gpuRequest);
    try {
      await store.add(run, request.spec);
    } catch (error) {
      logger.error({ error, run: run.jobId }, "A run cannot be stored");
      throw new AppError("RUN_NOT_STORED", { detail: `${(error as NodeJS.ErrnoException).code ?? "unknown"}.` }, error);
    }
    supervisor.pump();
    return view(run);
  };
}
