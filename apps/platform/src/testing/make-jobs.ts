import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { eq } from "drizzle-orm";
import * as z from "zod";
import { createJobs, defineJobKind } from "../features/jobs/index.ts";
import { jobItems } from "../features/jobs/tables.ts";
import type { TestPlatform } from "./start-test-platform.ts";

/** A kind that no executor of the platform knows, so that its jobs stay as they are made. */
const idle = defineJobKind({
  name: "test_idle",
  params: z.strictObject({}),
  input: z.strictObject({}),
  run: async () => ({}),
});

/** A job of the first tenant that waits, or whose items failed; gives its id. */
export async function addJob(
  { platform, operator }: Pick<TestPlatform, "platform" | "operator">,
  state: "queued" | "failed" = "queued",
): Promise<string> {
  const tenantId = (await operator.client.call(getTenant, {})).body.id;
  return platform.database.transaction(async (tx) => {
    const items = [{ subject: "one", input: {} }];
    const job = await createJobs({ kinds: [], logger: createLogger("test", "silent") }).enqueue(tx, idle, {
      tenantId,
      createdBy: operator.id,
      params: {},
      items,
    });
    const failure = { state: "failed", reason: "INTERNAL", remedy: "None." } as const;
    if (state === "failed") await tx.update(jobItems).set(failure).where(eq(jobItems.jobId, job.id));
    return job.id;
  });
}
