import { once } from "node:events";
import { connect } from "node:net";
import { createDataset } from "@attune/contracts/rest/datasets.ts";
import { listUsers } from "@attune/contracts/rest/identity.ts";
import { listOperations } from "@attune/contracts/rest/operation-logs.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reasonOf, startTestPlatform, type TestPlatform } from "../testing/start-test-platform.ts";

let run: TestPlatform;

beforeAll(async () => {
  run = await startTestPlatform({ PLATFORM_INLINE_MAX_KIB: "0" });
});
afterAll(() => run[Symbol.asyncDispose]());

type Ask = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

async function ask(path: string, init: Ask = {}): Promise<{ reason?: string; violations?: unknown }> {
  const headers = { authorization: `Bearer ${run.operator.token}`, ...init.headers };
  return (await (await fetch(`${run.baseUrl}/api/v1${path}`, { ...init, headers })).json()) as { reason?: string };
}

const cursorOf = (values: unknown): string => Buffer.from(JSON.stringify(values)).toString("base64url");

test.each(["/tenants", "/api-tokens", "/operation-logs", "/platform/operation-logs", "/models", "/datasets"])(
  "a cursor that no page of %s gave is refused",
  async (path) => {
    for (const values of [["no id"], [-1], [1.5], [null], [], "text"]) {
      const { reason } = await ask(`${path}?cursor=${cursorOf(values)}`);
      expect([path, values, reason]).toEqual([path, values, "REQUEST_INVALID"]);
    }
  },
);

test.each([
  "/datasets?search=%00",
  "/users?search=a%00",
  "/models?search=%00",
  "/operation-logs?action=%00",
  "/operation-logs?resource_id=%00",
])("NUL, which PostgreSQL cannot hold, is refused by its place: %s", async (path) => {
  const pointer = `/query/${/\?(\w+)/.exec(path)?.[1]}`;
  expect(await ask(path)).toMatchObject({ reason: "REQUEST_INVALID", violations: [{ pointer }] });
});

test.each([
  ["/datasets", String.raw`{"name":"a\ud800"}`, "/body/name"],
  ["/datasets", String.raw`{"name":"Half","description":"a\udc00b"}`, "/body/description"],
  ["/users", String.raw`{"email":"half@example.com","display_name":"\ud83d","role":"viewer"}`, "/body/display_name"],
])("half a character is refused and not replaced: POST %s %s", async (path, body, pointer) => {
  const init = { method: "POST", body, headers: { "content-type": "application/json" } };
  expect(await ask(path, init)).toMatchObject({ reason: "REQUEST_INVALID", violations: [{ pointer }] });
});

test.each(['"2147483647"', '"999999999999999"'])("an ETag that no record can have is a conflict: %s", async (etag) => {
  const headers = { "content-type": "application/json", "if-match": etag };
  const body = JSON.stringify({ name: "Renamed" });
  expect(await ask("/tenant", { method: "PATCH", headers, body })).toMatchObject({ reason: "VERSION_CONFLICT" });
});

test("an upload in one request, which cannot be repeated, passes over no Idempotency-Key", async () => {
  const body = JSON.stringify({ name: "With a key" });
  const made = await ask("/datasets", { method: "POST", body, headers: { "content-type": "application/json" } });
  const { id } = made as { readonly id?: string };
  const refusal = await ask(`/datasets/${id}/files?name=a.jsonl`, {
    method: "POST",
    body: '{"instruction":"a","output":"b"}\n',
    headers: { "idempotency-key": "key-1", "content-type": "application/octet-stream" },
  });
  expect(refusal).toMatchObject({ reason: "REQUEST_INVALID", violations: [{ pointer: "Idempotency-Key" }] });
});

test("a tenant that is no id is refused", async () => {
  const client = run.clientOf(run.operator.token, "-".repeat(36));
  expect(await reasonOf(client.call(getTenant, {}))).toBe("PERMISSION_DENIED");
  expect(await reasonOf(client.call(listUsers, {}))).toBe("PERMISSION_DENIED");
});

/** What the platform answers to these bytes. */
async function send(text: string): Promise<string> {
  const { port } = run.platform.server.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  socket.write(text);
  await once(socket, "close");
  return answer;
}

test.each([
  ["no HTTP", "HELLO\r\n\r\n", 400, "REQUEST_MALFORMED"],
  ["a header without a colon", "GET /healthz HTTP/1.1\r\nHost x\r\n\r\n", 400, "REQUEST_MALFORMED"],
  [
    "two lengths",
    "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
    "REQUEST_MALFORMED",
  ],
  [
    "too long headers",
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    431,
    "REQUEST_TOO_LARGE",
  ],
])("what is not even a request is answered with a problem: %s", async (...[, text, status, reason]) => {
  const answer = await send(text);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/content-type: application\/problem\+json/i);
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ status, reason });
});

test("who goes away in the middle of an upload cancelled it, and no part of the platform failed", async () => {
  const { body } = await run.operator.client.call(createDataset, { body: { name: "Broken off" } });
  const path = `/api/v1/datasets/${body.id}/files?name=a.jsonl`;
  const { port } = run.platform.server.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${run.operator.token}`,
    "Content-Length: 1000000",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n{"instruction":"a","input":"","output":"b"}\n`);
  const writes = sql`select 1 from storage_objects where state = 'pending'`;
  const begun = async () => (await run.platform.database.queries.execute(writes)).rows.length;
  await expect.poll(begun, { timeout: 30_000 }).toBe(1);
  socket.destroy();
  const outcome = async () => {
    const query = { action: "uploadDatasetFile", limit: 1 };
    const [line] = (await run.operator.client.call(listOperations, { query })).body.items;
    return line && { outcome: line.outcome, reason: line.reason };
  };
  await expect.poll(outcome, { timeout: 30_000 }).toEqual({ outcome: "refused", reason: "CALL_CANCELLED" });
}, 90_000);
