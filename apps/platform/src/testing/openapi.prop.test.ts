import { platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import { createDataset } from "@attune/contracts/rest/datasets.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkOpenapi } from "@attune/testkit/check-openapi.ts";
import type { OpenapiDocument } from "@attune/testkit/openapi-document.ts";
import { addJob } from "./make-jobs.ts";
import { addApiModel, addBaseModel } from "./make-models.ts";
import { startTestPlatform, type TestPlatform } from "./start-test-platform.ts";

/** It would end the session of whoever calls all the others. */
const notWhenSignedIn = new Set(["signOut"]);

let run: TestPlatform;
let document: OpenapiDocument;
let ids: string[];
let tokens: Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  run = await startTestPlatform({
    PLATFORM_RATE_PER_SECOND: "100000",
    PLATFORM_MODEL_API_CONNECT_TIMEOUT_MS: "100",
  });
  document = (await (await fetch(`${run.baseUrl}/api/v1/openapi.json`)).json()) as OpenapiDocument;
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

test("any request to any operation is answered as the document says, and never with a fault of ours", async () => {
  const { faults, succeeded } = await checkOpenapi({
    document,
    ids,
    callersOf: (id) => (notWhenSignedIn.has(id) ? ["stranger"] : Object.keys(tokens)),
    call: ({ method, path, headers, body }, caller) =>
      fetch(`${run.baseUrl}/api/v1${path}`, {
        method,
        redirect: "manual",
        headers: { ...headers, ...(tokens[caller] !== undefined && { authorization: `Bearer ${tokens[caller]}` }) },
        ...(body !== undefined && { body }),
      }),
    isReason: (reason) => Object.hasOwn(platformReasons, reason),
  });
  expect(faults.slice(0, 20)).toEqual([]);
  const wanted = ["getJob", "listJobItems", "listUsers", "createDataset", "createApiToken", "listModels"];
  expect(wanted.filter((id) => !succeeded.has(id))).toEqual([]);
}, 600_000);
