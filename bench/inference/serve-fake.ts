/**
 * Serves the operations of models in memory with a worker that holds no model, for the measurements beside it; says its URL and
 * the paths of its models as one line of JSON, and how much memory it has on each line that it is sent.
 */
import { createInterface } from "node:readline";
import { bindInferenceRoutes } from "../../apps/node-agent/src/http/inference-routes.ts";
import { serveRoutes } from "../../apps/node-agent/src/http/serve-routes.fixture.ts";
import { startTestInference } from "../../apps/node-agent/src/inference/inference.fixture.ts";

const tokens = Array.from({ length: 20 }, (_, index) => ` token${index}`);
const run = await startTestInference({ maxModels: 16 });
const served = await serveRoutes(bindInferenceRoutes(run.sessions));
const plain = await run.makeModel({ tokens });
const paced = await run.makeModel({ tokens, tokenMs: 2 });
console.log(JSON.stringify({ url: served.url, plain, paced }));

const lines = createInterface({ input: process.stdin });
lines.on("line", () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  console.log(JSON.stringify({ rss, heapUsed }));
});
lines.once("close", () => {
  void served[Symbol.asyncDispose]()
    .then(() => run[Symbol.asyncDispose]())
    .then(() => process.exit(0));
});
