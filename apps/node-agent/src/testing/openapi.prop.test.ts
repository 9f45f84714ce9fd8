import { nodeReasons } from "@attune/contracts/errors/node-reasons.ts";
import { platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import { arbitraryRequest, type ArbitraryRequest } from "@attune/testkit/arbitrary-request.ts";
import {
  faultsOf,
  type FindSchema,
  finderIn,
  type OpenapiDocument,
  type OpenapiOperation,
} from "@attune/testkit/openapi-document.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endedJobId, startTestAgent, type TestAgent } from "./start-test-agent.ts";

/** RUNS_OF_OPENAPI=500 for a long search; SEED_OF_OPENAPI for another one. */
const runs = Number(process.env["RUNS_OF_OPENAPI"] ?? 40);
const seed = Number(process.env["SEED_OF_OPENAPI"] ?? 20_261_121);
const ids = [endedJobId, "other", "model", "dataset"];

let run: TestAgent;
let document: OpenapiDocument;
let find: FindSchema;

beforeAll(async () => {
  run = await startTestAgent();
  document = (await (await fetch(`${run.url}/openapi.json`)).json()) as OpenapiDocument;
  find = finderIn(document);
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

const operationsOf = ({ paths }: OpenapiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

const call = (method: string, { path, headers, body }: ArbitraryRequest): Promise<Response> =>
  fetch(run.url + path, { method, headers, ...(body !== undefined && { body }) });

async function judge(operation: OpenapiOperation, response: Response): Promise<string[]> {
  if (mediaTypeOf(response) === eventStream) {
    await response.body?.cancel();
    return operation.responses[response.status]?.content?.[eventStream] === undefined ? ["there are no events"] : [];
  }
  const text = await response.text();
  if (response.status >= 500) return judgeFailure(response, text);
  return response.status >= 400 ? judgeRefusal(operation, response, text) : judgeAnswer(operation, response, text);
}

const eventStream = "text/event-stream";
const mediaTypeOf = ({ headers }: Response): string => headers.get("content-type")?.split(";")[0] ?? "";

// oxlint-disable-next-line max-params -- what was asked, what came, and its text
function judgeAnswer({ responses }: OpenapiOperation, { status }: Response, text: string): string[] {
  const told = responses[status];
  if (told === undefined) return [`status ${status} is not in the document`];
  const schema = told.content?.["application/json"]?.schema;
  return schema === undefined ? [] : faultsOf(schema, JSON.parse(text), find);
}

/** That an engine is not there is no fault of the agent, and says so. */
function judgeFailure({ status }: Response, text: string): string[] {
  const { reason } = JSON.parse(text) as { readonly reason?: string };
  return reason === "ENGINE_UNAVAILABLE" ? [] : [`status ${status}: ${text}`];
}

// oxlint-disable-next-line max-params -- what was asked, what came, and its text
function judgeRefusal(operation: OpenapiOperation, response: Response, text: string): string[] {
  const own = operation.responses[response.status]?.content?.["application/json"]?.schema;
  const mediaType = mediaTypeOf(response);
  if (own !== undefined && mediaType === "application/json") return faultsOf(own, JSON.parse(text), find);
  if (mediaType !== "application/problem+json") return [`no problem: ${text}`];
  const problem = JSON.parse(text) as Record<string, unknown>;
  const reason = String(problem["reason"]);
  const isKnown = Object.hasOwn(platformReasons, reason) || Object.hasOwn(nodeReasons, reason);
  return [
    ...faultsOf({ $ref: "#/components/schemas/Problem" }, problem, find),
    ...(isKnown ? [] : [`the reason ${reason} is unknown`]),
    ...(problem["status"] === response.status ? [] : ["the status differs"]),
  ];
}

test("any request to any operation is answered as the document says, and never with a fault of ours", async () => {
  const found: string[] = [];
  const done = new Set<string>();
  for (const { path, method, operation } of operationsOf(document)) {
    const requests = arbitraryRequest(path, operation, { find, ids });
    for (const request of fc.sample(requests, { numRuns: runs, seed })) {
      const response = await call(method, request);
      if (response.status < 400) done.add(operation.operationId);
      const faults = await judge(operation, response);
      found.push(...faults.map((fault) => `${operation.operationId} ${JSON.stringify(request)}: ${fault}`));
    }
  }
  expect(found.slice(0, 20)).toEqual([]);
  // Requests that are all refused would show nothing of the answers.
  const some = [
    "getHealth",
    "listJobs",
    "getJob",
    "followJob",
    "readJobLog",
    "listGpus",
    "loadModel",
    "listCacheEntries",
  ];
  for (const id of some) expect(done).toContain(id);
}, 600_000);

test("every operation is in the document once, under its own id, and every reference leads somewhere", () => {
  const operations = operationsOf(document).map(({ operation }) => operation.operationId);
  expect(operations.toSorted()).toEqual(run.agent.bindings.map(({ route }) => route.id).toSorted());
  expect(new Set(operations).size).toBe(operations.length);
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  for (const [, reference = ""] of references) {
    const target = reference.split("/").reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
    expect([reference, target]).not.toEqual([reference, undefined]);
  }
});
