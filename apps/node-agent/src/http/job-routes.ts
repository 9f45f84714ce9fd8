import { artifactView, jobPage, jobRequest, jobView, stopRequest } from "@attune/contracts/compute/run-record.ts";
import { workerEvent } from "@attune/contracts/compute/worker-events.ts";
import * as z from "zod";
import type { Runs } from "../runs/create-runs.ts";
import { maskEvent } from "../runs/mask-event.ts";
import { bindNodeRoute, defineNodeRoute, type NodeBinding, type ServerEvent } from "./node-route.ts";

const common = { access: "token", tag: "jobs" } as const;
const jobParams = z.strictObject({
  job_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/),
});
const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

export const submitJob = defineNodeRoute({
  ...common,
  id: "submitJob",
  method: "POST",
  path: "/compute/jobs",
  summary:
    "Takes a training, evaluation or export into the queue; the same id with the same request gives the same job",
  body: jobRequest,
  responses: { 200: jobView },
});

export const listJobs = defineNodeRoute({
  ...common,
  id: "listJobs",
  method: "GET",
  path: "/compute/jobs",
  summary: "Jobs of the node, the newest first",
  query: z.strictObject({
    limit: integer(1, 100).default(50),
    after: jobParams.shape.job_id.optional().meta({ description: "The last job of the page before" }),
  }),
  responses: { 200: jobPage },
});

export const getJob = defineNodeRoute({
  ...common,
  id: "getJob",
  method: "GET",
  path: "/compute/jobs/{job_id}",
  summary: "Where a job stands, and how it ended",
  params: jobParams,
  responses: { 200: jobView },
});

export const stopJob = defineNodeRoute({
  ...common,
  id: "stopJob",
  method: "POST",
  path: "/compute/jobs/{job_id}/stop",
  summary: "Asks a job to save a checkpoint and end; the same again changes nothing",
  params: jobParams,
  body: stopRequest.optional(),
  responses: { 200: jobView },
});

export const deleteJob = defineNodeRoute({
  ...common,
  id: "deleteJob",
  method: "DELETE",
  path: "/compute/jobs/{job_id}",
  summary: "Removes a job that has ended, with its checkpoints, results, log and events",
  params: jobParams,
  responses: { 204: null },
});

export const followJob = defineNodeRoute({
  ...common,
  id: "followJob",
  method: "GET",
  path: "/compute/jobs/{job_id}/events",
  summary:
    "What a job said from a place on and says now, as `event`, until it has ended, then `job` with where it stands",
  params: jobParams,
  query: z.strictObject({
    offset: integer(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: "Bytes of its events that the caller has; 0 is the beginning. Last-Event-ID wins over it" }),
  }),
  headers: { "last-event-id": "The id of the last event that the caller has" },
  responses: {
    200: {
      mediaType: "text/event-stream",
      description: "Events; the id of each is the place to go on from",
      data: z.union([workerEvent, jobView]),
    },
  },
});

export const readJobLog = defineNodeRoute({
  ...common,
  id: "readJobLog",
  method: "GET",
  path: "/compute/jobs/{job_id}/logs",
  summary: "The last lines of the log of a job, secrets masked",
  params: jobParams,
  query: z.strictObject({ tail: integer(1, 10_000).default(200) }),
  responses: { 200: z.strictObject({ lines: z.array(z.string()) }).meta({ id: "ComputeJobLog" }) },
});

export const listJobArtifacts = defineNodeRoute({
  ...common,
  id: "listJobArtifacts",
  method: "GET",
  path: "/compute/jobs/{job_id}/artifacts",
  summary: "The files that a job made, with size and checksum; with verify=true they are read and hashed again",
  params: jobParams,
  query: z.strictObject({ verify: z.enum(["true", "false"]).default("false") }),
  responses: {
    200: z
      .strictObject({ artifact_dir: z.string().nullable(), artifacts: z.array(artifactView) })
      .meta({ id: "ComputeArtifacts" }),
  },
});

/** The operations of jobs. */
export function jobRoutes(runs: Runs): NodeBinding[] {
  return [
    bindNodeRoute(submitJob, async ({ body }) => ({ body: await runs.submit(body) })),
    bindNodeRoute(listJobs, async ({ query }) => ({ body: await runs.list(query) })),
    bindNodeRoute(getJob, async ({ params }) => ({ body: await runs.get(params.job_id) })),
    bindNodeRoute(stopJob, async ({ params, body }) => ({ body: await runs.stop(params.job_id, body) })),
    bindNodeRoute(deleteJob, async ({ params }) => {
      await runs.remove(params.job_id);
      return {};
    }),
    bindNodeRoute(followJob, async ({ params, query, headers, signal }) => {
      const fromOffset = readOffset(headers["last-event-id"]) ?? query.offset ?? 0;
      await runs.get(params.job_id);
      return { events: toFrames(runs, { jobId: params.job_id, fromOffset }, signal) };
    }),
    bindNodeRoute(readJobLog, async ({ params, query }) => ({
      body: { lines: [...(await runs.logTail(params.job_id, query.tail))] },
    })),
    bindNodeRoute(listJobArtifacts, async ({ params, query, signal }) => {
      const { artifact_dir } = await runs.get(params.job_id);
      const artifacts = await runs.artifacts(params.job_id, { isHashed: query.verify === "true" }, signal);
      return { body: { artifact_dir, artifacts: [...artifacts] } };
    }),
  ];
}

/** Ids are ours; anything else is that of another stream, and the caller gets all events. */
const readOffset = (id: string | string[] | undefined): number | undefined =>
  typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : undefined;

async function* toFrames(
  runs: Runs,
  { jobId, fromOffset }: { readonly jobId: string; readonly fromOffset: number },
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  for await (const { offset, event } of await runs.events(jobId, { fromOffset }, signal)) {
    yield { event: "event", id: String(offset), data: maskEvent(event) };
  }
  if (!signal.aborted) yield { event: "job", data: await runs.get(jobId) };
}
