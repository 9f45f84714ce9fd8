import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestPlatform, type TestPlatform } from "../testing/start-test-platform.ts";

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

let run: TestPlatform;
let document: Document;

beforeAll(async () => {
  run = await startTestPlatform();
  document = (await (await fetch(`${run.baseUrl}/api/v1/openapi.json`)).json()) as Document;
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

test("every operation is in the document once, under its own id", () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(ids.toSorted()).toEqual(run.platform.bindings.map(({ contract }) => contract.id).toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test("every parameter of a path is described, and every reference leads somewhere", () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [] } of Object.values(methods)) {
      expect(parameters.filter((one) => one.in === "path").map(({ name }) => name)).toEqual(wanted);
    }
  }
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  for (const [, reference = ""] of references) {
    const target = reference.split("/").reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
    expect(target === undefined ? reference : undefined).toBeUndefined();
  }
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
