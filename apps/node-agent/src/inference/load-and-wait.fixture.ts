/** A process that holds a model in a folder until it is killed. */
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { loadRequest } from "@attune/contracts/compute/inference-api.ts";
import { writeFakeModel } from "@attune/testkit/fake-inference-worker-model.ts";
import { createGpuLeases } from "../devices/create-gpu-leases.ts";
import { createFakeDevices } from "../devices/devices.fixture.ts";
import { createFakeTransformers } from "../engines/transformers/fake-transformers.fixture.ts";
import { createInferenceSessions } from "./create-inference-sessions.ts";

const [folder = ""] = process.argv.slice(2);
const logger = createLogger("test", "silent");
const devices = createFakeDevices(0);
const processes = { isAlive: () => true, holderOf: () => undefined };
const leases = await createGpuLeases({
  path: join(folder, "leases.json"),
  devices,
  processes,
  findClaims: async () => [],
  logger,
});
const { engine } = createFakeTransformers();
const limits = { maxWaiting: 1, maxModels: 1, loadTimeoutMs: 60_000 };
const sessions = createInferenceSessions({
  engines: [engine],
  leases,
  devices,
  folder: join(folder, "inference"),
  logger,
  ...limits,
});
const model_path = await writeFakeModel(join(folder, "model"), { faults: ["leave-children", "ignore-end"] });
const { load_id: loadId } = await sessions.load(loadRequest.parse({ model_path }));
while (sessions.status({})[0]?.state !== "ready") await new Promise((resolve) => setTimeout(resolve, 10));
process.stdout.write(`${JSON.stringify({ loadId })}\n`);
setInterval(() => undefined, 1000);
