import { faultsOfDocument } from "@attune/testkit/check-openapi.ts";
import type { OpenapiDocument } from "@attune/testkit/openapi-document.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestPlatform, type TestPlatform } from "../testing/start-test-platform.ts";

let run: TestPlatform;
let document: OpenapiDocument;

beforeAll(async () => {
  run = await startTestPlatform();
  document = (await (await fetch(`${run.baseUrl}/api/v1/openapi.json`)).json()) as OpenapiDocument;
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

test("every operation is in the document once, with what its path needs, and every reference leads somewhere", () => {
  const ids = run.platform.bindings.map(({ contract }) => contract.id);
  expect(faultsOfDocument(document, ids)).toEqual([]);
  expect(ids).toContain("createDataset");
});

test.each([
  ["/api/v1/nowhere", "GET", undefined, 404, "ROUTE_NOT_FOUND"],
  ["/api/v1/session", "POST", "{", 400, "REQUEST_MALFORMED"],
  ["/api/v1/session", "POST", "[]", 422, "REQUEST_INVALID"],
  ["/api/v1/session", "POST", '{"email":"a@b.co","password":"x","is_admin":true}', 422, "REQUEST_INVALID"],
  [
    "/api/v1/session",
    "POST",
    JSON.stringify({ email: "a@b.co", password: "x".repeat(2_000_000) }),
    413,
    "REQUEST_TOO_LARGE",
  ],
  ["/api/v1/%zz", "GET", undefined, 400, "REQUEST_MALFORMED"],
])("%s %s answers with a problem", async (...[path, method, body, status, reason]) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(run.baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
  expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({ status, reason, request_id: response.headers.get("x-request-id") });
  expect(response.status).toBe(status);
});

test("a body of another kind than JSON is refused", async () => {
  const response = await fetch(`${run.baseUrl}/api/v1/session`, { method: "POST", body: "email=a" });
  expect(await response.json()).toMatchObject({ reason: "REQUEST_MALFORMED" });
});
