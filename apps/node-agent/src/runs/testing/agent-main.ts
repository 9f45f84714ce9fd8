/** An agent for tests that kill it: `agent-main.ts FOLDER MODE` runs one run and tells its id on standard output. */
import { fakeRequest } from "./fake-engine.ts";
import { startRuns } from "./start-runs.ts";

const [dataFolder = "", mode = "succeed"] = process.argv.slice(2);
const { runs } = await startRuns({ dataFolder });
const { job_id } = await runs.submit(fakeRequest(mode, { gpus: 1 }));
process.stdout.write(`${job_id}\n`);
setInterval(() => undefined, 60_000);
