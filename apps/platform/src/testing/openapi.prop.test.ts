import { platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import { createDataset } from "@attune/contracts/rest/datasets.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { arbitraryRequest, type ArbitraryRequest } from "@attune/testkit/arbitrary-request.ts";
import { addJob } from "./make-jobs.ts";
import { addApiModel, addBaseModel } from "./make-models.ts";
import {
  faultsOf,
  type FindSchema,
  finderIn,
  type OpenapiDocument,
  type OpenapiOperation,
} from "@attune/testkit/openapi-document.ts";
import { startTestPlatform, type TestPlatform } from "./start-test-platform.ts";

/** RUNS_OF_OPENAPI=500 for a long search; SEED_OF_OPENAPI for another one. */
const runs = Number(process.env["RUNS_OF_OPENAPI"] ?? 40);
const seed = Number(process.env["SEED_OF_OPENAPI"] ?? 20_261_121);
/** It would end the session of whoever calls all the others. */
const notWhenSignedIn = new Set(["signOut"]);

let run: TestPlatform;
let document: OpenapiDocument;
let find: FindSchema;
let ids: string[];
let tokens: Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  run = await startTestPlatform({
    PLATFORM_RATE_PER_SECOND: "100000",
    PLATFORM_MODEL_API_CONNECT_TIMEOUT_MS: "100",
  });
  document = (await (await fetch(`${run.baseUrl}/api/v1/openapi.json`)).json()) as OpenapiDocument;
  find = finderIn(document);
  const owner = await run.addTenant("Generated");
  const viewer = await run.addMember("viewer", owner);
  tokens = { owner: owner.token, viewer: viewer.token, stranger: undefined };
  const dataset = await owner.client.call(createDataset, { body: { name: "Generated" } });
  const foreign = await addBaseModel(run.operator);
  const models = [await addBaseModel(owner), await addApiModel(owner)];
  const jobs = [await addJob({ ...run, operator: owner }), await addJob({ ...run, operator: owner }, "failed")];
  ids = [viewer.id, dataset.body.id, foreign.body.id, ...jobs, ...models.map(({ body }) => body.id)];
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

const operationsOf = ({ paths }: OpenapiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

async function call(method: string, request: ArbitraryRequest, token: string | undefined): Promise<Response> {
  const { path, headers, body } = request;
  return fetch(`${run.baseUrl}/api/v1${path}`, {
    method,
    redirect: "manual",
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body }),
  });
}

async function judge(operation: OpenapiOperation, response: Response): Promise<string[]> {
  const { status } = response;
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true)
    return judgeEvents(operation, response);
  const text = await response.text();
  if (status >= 500) return [`status ${status}: ${text}`];
  if (status >= 400) return judgeRefusal(response, text);
  const told = operation.responses[status];
  if (told === undefined) return [`status ${status} is not in the document`];
  const schema = told.content?.["application/json"]?.schema;
  return schema === undefined ? [] : faultsOf(schema, JSON.parse(text), find);
}

/** A stream of events has no end. */
async function judgeEvents({ responses }: OpenapiOperation, { status, body }: Response): Promise<string[]> {
  await body?.cancel();
  return responses[status]?.content?.["text/event-stream"] === undefined ? ["the document knows of no events"] : [];
}

function judgeRefusal(response: Response, text: string): string[] {
  if (response.headers.get("content-type")?.startsWith("application/problem+json") !== true)
    return [`no problem: ${text}`];
  const problem = JSON.parse(text) as Record<string, unknown>;
  const faults = faultsOf({ $ref: "#/components/schemas/Problem" }, problem, find);
  const isKnown = Object.hasOwn(platformReasons, String(problem["reason"]));
  return [
    ...faults,
    ...(isKnown ? [] : [`the reason ${String(problem["reason"])} is unknown`]),
    ...(problem["status"] === response.status ? [] : ["the status differs"]),
  ];
}

test("any request to any operation is answered as the document says, and never with a fault of ours", async () => {
  const found: string[] = [];
  const done = new Set<string>();
  for (const { path, method, operation } of operationsOf(document)) {
    const who = notWhenSignedIn.has(operation.operationId) ? ["stranger"] : Object.keys(tokens);
    const requests = fc.tuple(fc.constantFrom(...who), arbitraryRequest(path, operation, { find, ids }));
    for (const [actor, request] of fc.sample(requests, { numRuns: runs, seed })) {
      const response = await call(method, request, tokens[actor]);
      if (response.status < 400) done.add(operation.operationId);
      const faults = await judge(operation, response);
      found.push(...faults.map((fault) => `${operation.operationId} as ${actor} ${JSON.stringify(request)}: ${fault}`));
    }
  }
  expect(found.slice(0, 20)).toEqual([]);
  // Requests that are all refused would show nothing of the answers.
  for (const id of ["getJob", "listJobItems", "listUsers", "createDataset", "createApiToken", "listModels"])
    expect(done).toContain(id);
}, 600_000);
