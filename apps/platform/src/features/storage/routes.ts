import { verifyStoredObjects } from "@attune/contracts/rest/jobs.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Transaction } from "../../infra/db/create-database.ts";
import { type Jobs, toJobWire } from "../jobs/index.ts";
import { type createStorageVerification, planItem } from "./jobs.ts";

export interface StorageRoutePorts {
  readonly jobs: Jobs;
  readonly verification: ReturnType<typeof createStorageVerification>;
}

export function bindStorageRoutes(ports: StorageRoutePorts): RouteBinding[] {
  return [bindRoute(verifyStoredObjects, (context) => verify(ports, context))];
}

async function verify(
  { jobs, verification }: StorageRoutePorts,
  { queries, principal, concerns }: RequestContext<typeof verifyStoredObjects>,
) {
  const job = await jobs.enqueue(queries as Transaction, verification, {
    createdBy: principal.userId,
    singletonKey: verification.name,
    params: {},
    items: [planItem],
  });
  concerns({ resourceKind: "job", resourceId: job.id });
  return { body: toJobWire(job), headers: { location: `/api/v1/platform/jobs/${job.id}` } };
}
