import { nodeReasons } from "@attune/contracts/errors/node-reasons.ts";
import { platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import { checkOpenapi, faultsOfDocument } from "@attune/testkit/check-openapi.ts";
import type { OpenapiDocument } from "@attune/testkit/openapi-document.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endedJobId, removableJobId, startTestAgent, type TestAgent } from "./start-test-agent.ts";

let run: TestAgent;
let document: OpenapiDocument;

beforeAll(async () => {
  run = await startTestAgent();
  document = (await (await fetch(`${run.url}/openapi.json`)).json()) as OpenapiDocument;
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

/** The job that is asked for to the end stays; another one is removed in its place. */
const keepJob = (method: string, path: string): string =>
  method === "DELETE" ? path.replace(endedJobId, removableJobId) : path;

test("any request to any operation is answered as the document says, and never with a fault of ours", async () => {
  const { faults, succeeded } = await checkOpenapi({
    document,
    ids: [endedJobId, "other", "model", "dataset"],
    callersOf: () => ["anybody"],
    call: ({ method, path, headers, body }) =>
      fetch(run.url + keepJob(method, path), { method, headers, ...(body !== undefined && { body }) }),
    isReason: (reason) => Object.hasOwn(platformReasons, reason) || Object.hasOwn(nodeReasons, reason),
    // That an engine is not there is no fault of the agent, and says so.
    expectedFailures: ["ENGINE_UNAVAILABLE"],
  });
  expect(faults.slice(0, 20)).toEqual([]);
  const ofJobs = ["listJobs", "getJob", "followJob", "readJobLog", "deleteJob"];
  const wanted = [...ofJobs, "getHealth", "listGpus", "loadModel"];
  expect(wanted.filter((id) => !succeeded.has(id))).toEqual([]);
}, 600_000);

test("every operation is in the document once, under its own id, and every reference leads somewhere", () => {
  const ids = run.agent.bindings.map(({ route }) => route.id);
  expect(faultsOfDocument(document, ids)).toEqual([]);
  expect(ids).toContain("createChatCompletion");
});
