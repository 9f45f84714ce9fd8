import { addJob } from "./make-jobs.ts";
import type { TestPlatform } from "./start-test-platform.ts";

const aJob = async (run: TestPlatform) => ({ params: { job_id: await addJob(run) } });

/** Requests on jobs that would succeed for whoever has the right. */
export const jobRequests = {
  getJob: aJob,
  listJobItems: aJob,
  cancelJob: aJob,
  retryJob: async (run: TestPlatform) => ({ params: { job_id: await addJob(run, "failed") }, body: {} }),
  getPlatformJob: aJob,
  listPlatformJobItems: aJob,
  cancelPlatformJob: aJob,
  retryPlatformJob: async (run: TestPlatform) => ({ ...(await aJob(run)), body: {} }),
};
