import { createId } from "@attune/service-kit/create-id.ts";
import { getSession } from "@attune/contracts/rest/identity.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestPlatform, type TestPlatform } from "./testing/start-test-platform.ts";

let run: TestPlatform;

beforeAll(async () => {
  run = await startTestPlatform();
});
afterAll(() => run[Symbol.asyncDispose]());

test("a link gives a stored file to a client without a token, and a changed one gives a problem", async () => {
  const { storage, database } = run.platform;
  const { body } = await run.operator.client.call(getSession, {});
  const tenantId = body.tenants[0]?.id ?? "";
  const file = { tenantId, owner: { kind: "test", id: createId() }, mediaType: "text/html", body: Buffer.from("<p>") };
  const { id } = await storage.writeFile({ ...file, placement: "object" }, async (_, stored) => stored);
  const link = await storage.findFileLink(
    database.queries,
    { tenantId, fileId: id },
    { expiresInSeconds: 60, fileName: "报告.html" },
  );
  const url = new URL(link?.url ?? "");
  const path = `${run.baseUrl}${url.pathname}`;
  const response = await fetch(`${path}${url.search}`);
  expect([response.status, await response.text()]).toEqual([200, "<p>"]);
  expect(response.headers.get("content-disposition")).toMatch(/^attachment;/);
  expect((await fetch(`${path}${url.search}`, { method: "HEAD" })).headers.get("content-length")).toBe("3");
  const refused = await fetch(`${path}${url.search}x`);
  expect([refused.status, await refused.json()]).toMatchObject([403, { reason: "STORAGE_LINK_INVALID" }]);
});
