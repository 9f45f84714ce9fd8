import { AppError } from "@attune/service-kit/app-error.ts";
import { concludeStatus } from "../conclude-status.ts";
import type { ClusterStatus, PlacedJob, Scheduler, SchedulerReport } from "../scheduler.ts";
import { shareCalls } from "../share-calls.ts";
import { askToStop } from "../stop-request.ts";
import { unavailable } from "../unavailable.ts";
import { unknownStatus } from "../unknown-status.ts";
import type { SlurmAnswer, SlurmClient } from "./create-slurm-client.ts";
import { readSlurmErrors, slurmFaults } from "./read-slurm-errors.ts";
import { readSlurmJobs, type SlurmJob } from "./read-slurm-job.ts";
import { readSlurmPools } from "./read-slurm-pools.ts";
import { commentOf, renderSlurmJob, type SlurmJobSettings } from "./render-slurm-job.ts";
import { toClusterStatus } from "./to-cluster-status.ts";

export interface SlurmSchedulerDeps {
  readonly client: SlurmClient;
  readonly settings: SlurmJobSettings;
}

const name = "slurm";
const description = "Jobs on the machines of a Slurm cluster, through slurmrestd";

/** Slurm, through the REST API of slurmrestd, versions v0.0.38 (Slurm 22.05) and newer. */
export function createSlurmScheduler({ client, settings }: SlurmSchedulerDeps): Scheduler {
  const submit: Scheduler["submit"] = async (job, signal) => {
    // Slurm takes the same job twice, so it is looked for first: an earlier answer may have been lost.
    const there = await findJob(client, job.id, signal);
    if (there !== undefined) return there.id;
    const api = await client.api(signal);
    const body = renderSlurmJob(job, settings, api);
    return jobIdOf(await client.call({ method: "POST", path: api.path("job/submit"), body }, signal));
  };
  return {
    name,
    report: (signal) => report(client, signal),
    submit: shareCalls((job) => job.id, submit),
    find: async (id, signal) => (await findJob(client, id, signal))?.id,
    status: async (job, signal) => await concludeStatus(job, await statusOf(client, job, signal)),
    stop: async (job, signal) => {
      await askToStop(job.runFolder);
      await stopJob(client, job, signal);
    },
    end: async (job, signal) => await cancel(client, job, signal),
  };
}

async function report(client: SlurmClient, signal?: AbortSignal): Promise<SchedulerReport> {
  try {
    const api = await client.api(signal);
    const nodes = await client.call({ method: "GET", path: api.path("nodes") }, signal);
    const pools = readSlurmPools(nodes.json);
    const version = [releaseOf(nodes.json), api.version].filter(Boolean).join(", API ");
    const isUp = pools.some((pool) => pool.nodesUp > 0);
    const unavailableReason = isUp ? "" : "No machine of the Slurm cluster can run jobs now; sinfo -R tells why.";
    return { name, description, available: isUp, unavailableReason, version, pools };
  } catch (error) {
    return unavailable({ name, description }, error);
  }
}

/** Slurm 22.05 tells `meta.Slurm.release`, newer ones `meta.slurm.release`. */
function releaseOf(json: unknown): string {
  const { meta } = json as { meta?: { Slurm?: { release?: unknown }; slurm?: { release?: unknown } } };
  const release = meta?.slurm?.release ?? meta?.Slurm?.release;
  return typeof release === "string" ? `Slurm ${release}` : "";
}

/** Of several, which only a crash in the middle of two submissions can leave, the first; the job script lets but one run. */
async function findJob(client: SlurmClient, id: string, signal?: AbortSignal): Promise<SlurmJob | undefined> {
  const api = await client.api(signal);
  const answer = await client.call({ method: "GET", path: api.path("jobs") }, signal);
  throwRefusal(answer);
  const own = readSlurmJobs(answer.json).filter(({ comment }) => comment === commentOf(id));
  return own.sort((a, b) => Number(a.id) - Number(b.id))[0];
}

function jobIdOf(answer: SlurmAnswer): string {
  throwRefusal(answer);
  const { job_id: direct, result } = answer.json as { job_id?: unknown; result?: { job_id?: unknown } };
  const id = direct ?? result?.job_id;
  if (typeof id === "number" && id > 0) return String(id);
  throw new AppError("CLUSTER_INCOMPATIBLE", { detail: "slurmrestd took the job and gave it no id." });
}

function throwRefusal({ faults }: SlurmAnswer): void {
  if (faults.length === 0) return;
  const detail = `Slurm says: ${faults.map(({ text }) => text).join("; ")}.`;
  throw new AppError(faults.some(slurmFaults.isNotReady) ? "CLUSTER_NOT_READY" : "CLUSTER_JOB_REFUSED", { detail });
}

async function statusOf(client: SlurmClient, job: PlacedJob, signal?: AbortSignal): Promise<ClusterStatus> {
  try {
    const found = await askJob(client, job, signal);
    return found === undefined ? forgotten(job) : toClusterStatus(found);
  } catch (error) {
    signal?.throwIfAborted();
    return unknownStatus(error);
  }
}

/** @returns undefined when Slurm knows no such job. */
async function askJob(client: SlurmClient, job: PlacedJob, signal?: AbortSignal): Promise<SlurmJob | undefined> {
  const api = await client.api(signal);
  const answer = await client.call({ method: "GET", path: api.jobPath(job.reference) }, signal);
  if (readSlurmErrors(answer.json).some((fault) => slurmFaults.isUnknownJob(fault))) return undefined;
  const found = readSlurmJobs(answer.json).find(({ id }) => id === job.reference);
  if (found === undefined && answer.faults.length > 0) throwRefusal(answer);
  return found;
}

const forgotten = ({ reference }: PlacedJob): ClusterStatus => ({
  state: "lost",
  reason: `Slurm knows no job ${reference}. It forgets jobs some minutes after their end (MinJobAge), and all when its state is lost.`,
  cause: "vanished",
  nodes: [],
  gpus: [],
  exitCode: null,
  signal: null,
});

async function stopJob(client: SlurmClient, job: PlacedJob, signal?: AbortSignal): Promise<void> {
  const found = await askJob(client, job, signal);
  if (found === undefined) return;
  const { state } = toClusterStatus(found);
  if (state === "queued") return await cancel(client, job, signal);
  if (state !== "running" && state !== "starting") return;
  const api = await client.api(signal);
  // To all processes of the job; its script knows that, and kills them when the grace time is over.
  const path = `${api.jobPath(job.reference)}?signal=SIGTERM`;
  const answer = await client.call({ method: "DELETE", path }, signal);
  // It has no processes yet.
  if (answer.faults.some(slurmFaults.isNotRunning)) return await cancel(client, job, signal);
  throwUnlessOver(answer);
}

async function cancel(client: SlurmClient, job: PlacedJob, signal?: AbortSignal): Promise<void> {
  const api = await client.api(signal);
  throwUnlessOver(await client.call({ method: "DELETE", path: api.jobPath(job.reference) }, signal));
}

function throwUnlessOver({ json, faults }: SlurmAnswer): void {
  const real = faults.filter((fault) => !slurmFaults.isUnknownJob(fault) && !slurmFaults.isEndedJob(fault));
  throwRefusal({ json, faults: real });
}
