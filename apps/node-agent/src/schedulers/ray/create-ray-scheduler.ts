import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import { writeFileWhole } from "../../process/write-file-whole.ts";
import { callCluster, type ClusterAnswer, type ClusterRequest } from "../cluster-http.ts";
import { concludeStatus } from "../conclude-status.ts";
import { quote, renderJobScript } from "../job-script.ts";
import type { ClusterJob, ClusterStatus, PlacedJob, Scheduler, SchedulerReport } from "../scheduler.ts";
import { shareCalls } from "../share-calls.ts";
import { askToStop, wasAskedToStop } from "../stop-request.ts";
import { unavailable } from "../unavailable.ts";
import { unknownStatus } from "../unknown-status.ts";
import { readRayPool } from "./read-ray-pool.ts";
import { type RayJob, toRayStatus } from "./to-ray-status.ts";

export interface RaySchedulerDeps {
  /** Of the dashboard: http://host:8265. */
  readonly url: string;
  readonly token: Secret | undefined;
  readonly timeoutMs: number;
}

type Call = (request: Omit<ClusterRequest, "headers">, signal?: AbortSignal) => Promise<ClusterAnswer>;

const name = "ray";
const description = "Jobs on the machines of a Ray cluster, through its Jobs API";

/** Ray, through the Jobs API of its dashboard. The submission id is the run's, so that Ray itself lets it in only once. */
export function createRayScheduler({ url, token, timeoutMs }: RaySchedulerDeps): Scheduler {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };
  const call: Call = async (request, signal) => {
    const answer = await callCluster({ url, timeoutMs }, { ...request, headers }, signal);
    if (answer.status === 401 || answer.status === 403) throw denied(answer);
    return answer;
  };
  return {
    name,
    report: (signal) => report(call, signal),
    submit: shareCalls(
      (job) => job.id,
      (job, signal) => submit(call, job, signal),
    ),
    find: async (id, signal) => {
      const reference = submissionIdOf(id);
      return (await findJob(call, reference, signal)) === undefined ? undefined : reference;
    },
    status: async (job, signal) => await concludeStatus(job, await statusOf(call, job, signal)),
    stop: async (job, signal) => {
      await askToStop(job.runFolder);
      await stopWaiting(call, job, signal);
    },
    end: (job, signal) => end(call, job, signal),
  };
}

async function report(call: Call, signal?: AbortSignal): Promise<SchedulerReport> {
  try {
    const { json, status, text } = await call({ method: "GET", path: "/api/version" }, signal);
    const { version, ray_version: release } = (json ?? {}) as { version?: unknown; ray_version?: unknown };
    if (typeof release !== "string") throw incompatible(`status ${status}: ${text.slice(0, 200)}`);
    const pool = readRayPool((await call({ method: "GET", path: "/nodes?view=summary" }, signal)).json);
    return {
      name,
      description,
      available: true,
      unavailableReason: "",
      version: `Ray ${release}, API ${String(version)}`,
      pools: pool === undefined ? [] : [pool],
    };
  } catch (error) {
    return unavailable({ name, description }, error);
  }
}

/** Ray takes letters, digits and some signs in an id of a submission; ids of runs have no others. */
const submissionIdOf = (id: string): string => `attune-${id}`;

/** Ray's shell runs the script, which stands in the run's folder, because the machines of the cluster see it. */
const scriptName = "ray-job.sh";

async function submit(call: Call, job: ClusterJob, signal?: AbortSignal): Promise<string> {
  const reference = submissionIdOf(job.id);
  if ((await findJob(call, reference, signal)) !== undefined) return reference;
  const path = join(job.runFolder, scriptName);
  await writeFileWhole(path, renderJobScript(job, { claim: quote(`ray ${reference}`), timeLimitSeconds: undefined }));
  const body = {
    // The folder may be missing there, and this is to be told apart from a run that fails.
    entrypoint: `exec bash ${quote(path)}`,
    submission_id: reference,
    metadata: { attune_run: job.id },
    entrypoint_num_cpus: job.cpus,
    entrypoint_num_gpus: job.gpus,
    ...(job.memoryMb !== undefined && { entrypoint_memory: job.memoryMb * 1024 * 1024 }),
    // Ray's own stop kills after 3 seconds otherwise, unless its head is set up for more.
    runtime_env: { env_vars: { RAY_JOB_STOP_WAIT_TIME_S: String(job.graceSeconds + 10) } },
  };
  const answer = await call({ method: "POST", path: "/api/jobs/", body }, signal);
  if (answer.status < 300) return reference;
  // Somebody else's answer was lost, or two agents share the run.
  if (/already exists/.test(answer.text)) return reference;
  throw refusal(answer);
}

/** @returns undefined when Ray knows no such job. */
async function findJob(call: Call, reference: string, signal?: AbortSignal): Promise<RayJob | undefined> {
  const answer = await call({ method: "GET", path: jobPath(reference) }, signal);
  if (answer.status === 404 && /does not exist/.test(answer.text)) return undefined;
  if (answer.status >= 500) throw broken(answer);
  if (answer.status >= 400 || typeof answer.json !== "object" || answer.json === null) {
    throw incompatible(`status ${answer.status}: ${answer.text.slice(0, 200)}`);
  }
  return answer.json;
}

const jobPath = (reference: string): string => `/api/jobs/${encodeURIComponent(reference)}`;

async function statusOf(call: Call, job: PlacedJob, signal?: AbortSignal): Promise<ClusterStatus> {
  try {
    // Asked before Ray is: then a job that still waits cannot begin any more.
    const isAsked = await wasAskedToStop(job.runFolder);
    const found = await findJob(call, job.reference, signal);
    if (found === undefined) return forgotten(job);
    return found.status === "PENDING" && isAsked ? stoppedInQueue : toRayStatus(found);
  } catch (error) {
    signal?.throwIfAborted();
    return unknownStatus(error);
  }
}

const forgotten = ({ reference }: PlacedJob): ClusterStatus => ({
  state: "lost",
  reason: `Ray knows no job ${reference}: its head was started anew, and jobs end with it.`,
  cause: "node_lost",
  nodes: [],
  gpus: [],
  exitCode: null,
  signal: null,
});

/** Ray takes no job out of its queue. Its script sees the request before anything else, and does nothing. */
const stoppedInQueue: ClusterStatus = {
  state: "stopped",
  reason: "It was stopped before it began. Ray keeps it in its queue until its turn comes, and then it does nothing.",
  cause: null,
  nodes: [],
  gpus: [],
  exitCode: null,
  signal: null,
};

/** A job that runs has the line in its control file, which its script passes on; Ray's stop could kill it too early. */
async function stopWaiting(call: Call, job: PlacedJob, signal?: AbortSignal): Promise<void> {
  const found = await findJob(call, job.reference, signal);
  if (found?.status === "PENDING") await end(call, job, signal);
}

async function end(call: Call, job: PlacedJob, signal?: AbortSignal): Promise<void> {
  const answer = await call({ method: "POST", path: `${jobPath(job.reference)}/stop` }, signal);
  const isGone = answer.status === 404 && /does not exist/.test(answer.text);
  if (answer.status >= 300 && !isGone) throw broken(answer);
}

const denied = ({ text }: ClusterAnswer): AppError =>
  new AppError("CLUSTER_ACCESS_DENIED", {
    detail: `Ray says: ${text.trim().slice(0, 200)}. NODE_AGENT_RAY_TOKEN is its token.`,
  });

const incompatible = (detail: string): AppError =>
  new AppError("CLUSTER_INCOMPATIBLE", { detail: `It answers with ${detail}.` });

const broken = (answer: ClusterAnswer): AppError =>
  new AppError("CLUSTER_UNREACHABLE", { detail: `Ray's head has status ${answer.status}: ${lastLine(answer.text)}.` });

function refusal(answer: ClusterAnswer): AppError {
  if (answer.status >= 500) return broken(answer);
  return new AppError("CLUSTER_JOB_REFUSED", { detail: `Ray says: ${lastLine(answer.text)}.` });
}

// Ray tells faults as Python does.
const lastLine = (text: string): string => (text.trim().split("\n").at(-1) ?? "").slice(0, 300).replace(/\.$/, "");
