/** Entry of a worker process; see `createWorkerPool`. Its arguments are the formats to load before the first document. */
import { runJob } from "./run-job.ts";
import { serveJobs } from "./serve-jobs.ts";
import { warmUp } from "./warm-up.ts";

await warmUp(process.argv.slice(2));
await serveJobs(runJob);
