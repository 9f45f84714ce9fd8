import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheEntryView, cacheListView, fileReadView } from "@attune/contracts/compute/cache-api.ts";
import { startFakeFileHost } from "@attune/testkit/fake-file-host.ts";
import { expect, it } from "vitest";
import { filesRequest, openTestCache } from "../cache/test-cache.fixture.ts";
import { createFileReader } from "../files/file-reader.ts";
import { cacheRoutes } from "./cache-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { serveRoutes } from "./serve-routes.fixture.ts";

const json = { "content-type": "application/json" };

it("the cache is prepared, followed, verified, listed and emptied over HTTP", async () => {
  await using host = await startFakeFileHost();
  host.put("config.json", Buffer.from("{}"));
  await using test = await openTestCache();
  await using served = await serveRoutes(cacheRoutes(test.cache));
  const call = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) };
    const response = await fetch(`${served.url}/compute/cache${path}`, init);
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>) };
  };
  const wanted = filesRequest(host.urlOf, { "config.json": Buffer.from("{}") });
  const begun = await call("POST", "/prepare", wanted);
  expect(begun.status).toBe(200);
  expect(cacheEntryView.parse(begun.body)).toMatchObject({ kind: "model", key: "m" });
  await test.cache.settled({ kind: "model", key: "m" });
  const ready = await call("GET", "/model/m");
  expect(cacheEntryView.parse(ready.body)).toMatchObject({ state: "ready" });
  expect(await call("POST", "/model/m/verify")).toMatchObject({ status: 200 });
  await test.cache.settled({ kind: "model", key: "m" });
  expect(await call("POST", "/model/m/cancel")).toMatchObject({ status: 200, body: { state: "ready" } });
  expect(cacheListView.parse((await call("GET", "")).body).items).toHaveLength(1);
  const other = filesRequest(host.urlOf, { "other.json": Buffer.from("{}") });
  expect(await call("POST", "/prepare", other)).toMatchObject({ status: 409, body: { reason: "CACHE_KEY_TAKEN" } });
  expect(await call("DELETE", "/model/m")).toEqual({ status: 204, body: undefined });
  expect(await call("GET", "/model/m")).toMatchObject({ status: 404, body: { reason: "CACHE_ENTRY_UNKNOWN" } });
  for (const key of ["..%2f..%2fetc", "a%2fb", ".tmp", "%00"]) {
    expect([key, (await call("GET", `/model/${key}`)).status]).toEqual([key, 422]);
  }
  expect(await call("POST", "/prepare", { kind: "model", source: { type: "files", files: [] } })).toMatchObject({
    status: 422,
  });
});

it("files are read over HTTP, and refused in one form", async () => {
  await using test = await openTestCache();
  const runs = join(test.root, "runs");
  await mkdir(join(runs, "j-1/output"), { recursive: true });
  await writeFile(join(runs, "j-1/output/eval_results.json"), '{"rouge1":0.5}\n');
  const files = createFileReader([{ name: "runs", path: runs, isHidden: () => false }]);
  await using served = await serveRoutes(fileRoutes(files));
  const get = (query: string) => fetch(`${served.url}/compute/files/read?${query}`);
  const whole = await get("root=runs&path=j-1/output/eval_results.json");
  expect(fileReadView.parse(await whole.json())).toMatchObject({ content: '{"rouge1":0.5}\n', next_offset: null });
  const tail = await get("root=runs&path=j-1/output/eval_results.json&tail_lines=1");
  expect(await tail.json()).toMatchObject({ content: '{"rouge1":0.5}\n' });
  const statuses = await Promise.all(
    [
      "root=runs&path=../manifest.json",
      "path=/etc/passwd",
      "root=etc&path=passwd",
      "root=runs&path=j-1/output/eval_results.json&offset=1000",
      "root=runs&path=j-1/output/eval_results.json&offset=1&tail_lines=1",
      "root=runs&path=j-1/output/eval_results.json&length=99999999",
    ].map(async (query) => (await get(query)).status),
  );
  expect(statuses).toEqual([404, 404, 422, 416, 422, 422]);
});
