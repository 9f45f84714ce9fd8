import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobView } from "@attune/contracts/compute/run-record.ts";
import { readEvents, type ServerSentEvent } from "@attune/contracts/rest/read-events.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fakeRequest } from "../runs/testing/fake-engine.ts";
import { startRuns, type TestRuns, untilEnded, untilRun } from "../runs/testing/start-runs.ts";
import { jobRoutes } from "./job-routes.ts";
import { type ServedRoutes, serveRoutes } from "./serve-routes.fixture.ts";

let folder = "";
let agent: TestRuns;
let served: ServedRoutes;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-job-routes-"));
  agent = await startRuns({ dataFolder: folder });
  served = await serveRoutes(jobRoutes(agent.runs));
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await agent.close();
  await rm(folder, { recursive: true });
});

const ask = (method: string, path: string, body?: unknown) =>
  fetch(`${served.url}/compute/jobs${path}`, {
    method,
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
const statusOf = async (method: string, path: string, body?: unknown) => (await ask(method, path, body)).status;
const follow = async (path: string, headers: Record<string, string> = {}): Promise<ServerSentEvent[]> => {
  const response = await fetch(`${served.url}/compute/jobs${path}`, { headers });
  const events: ServerSentEvent[] = [];
  if (response.body !== null) for await (const event of readEvents(response.body)) events.push(event);
  return events;
};

test("a job over HTTP: taken, followed, looked at, its log and its files", async () => {
  const { engine, spec } = fakeRequest("succeed");
  const response = await ask("POST", "", { job_id: "one", engine, spec, gpus: "cpu" });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ job_id: "one", kind: "train" });
  const events = await follow("/one/events");
  const last = events.at(-1);
  expect(last?.event).toBe("job");
  expect(JSON.parse(last?.data ?? "")).toMatchObject({ job_id: "one", state: "succeeded" });
  const told = events.slice(0, -1);
  expect(told.map(({ event }) => event)).toEqual(told.map(() => "event"));
  const third = told[2]?.id ?? "";
  expect(await follow("/one/events", { "last-event-id": third })).toEqual(events.slice(3));
  expect(await follow(`/one/events?offset=${third}`)).toEqual(events.slice(3));
  expect(await (await ask("GET", "/one")).json()).toMatchObject({ state: "succeeded", step: 5 });
  expect(await (await ask("GET", "/one/logs?tail=1")).json()).toEqual({ lines: ["step 5"] });
  const files = (await (await ask("GET", "/one/artifacts?verify=true")).json()) as { artifacts: unknown[] };
  expect(files.artifacts).toHaveLength(1);
  expect(await (await ask("GET", "?limit=1")).json()).toMatchObject({ jobs: [{ job_id: "one" }], next_after: null });
});

test("a secret that a worker prints is in no event, no log line and no failure", async () => {
  const { job_id } = await agent.runs.submit(fakeRequest("secrets", { job_id: "telling" }));
  await untilEnded(agent.runs, job_id);
  const told = [JSON.stringify(await follow("/telling/events")), await (await ask("GET", "/telling/logs")).text()];
  for (const text of told) {
    expect(text).toContain("Bearer ***");
    expect(text).not.toMatch(/abcdefghijklmnop/);
  }
});

const stopWith = (id: string, body: unknown) =>
  fetch(`${served.url}/compute/jobs/${id}/stop`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("a job that does not heed a stop has as little time as the last stop says", async () => {
  const { job_id } = await agent.runs.submit(fakeRequest("ignores-stop", { job_id: "deaf", grace_seconds: 3600 }));
  await untilRun(agent.runs, job_id, ({ step }) => step !== null);
  for (const wrong of [{ grace_seconds: -1 }, { grace_seconds: 3601 }, { grace: 0 }, []]) {
    expect((await stopWith("deaf", wrong)).status).toBe(422);
  }
  expect(await statusOf("POST", "/deaf/stop")).toBe(200);
  expect(await (await stopWith("deaf", { grace_seconds: 0 })).json()).toMatchObject({ state: "stopping" });
  expect((await untilEnded(agent.runs, job_id)).state).toBe("stopped");
});

test("a job is stopped, and one that has ended is not", async () => {
  const { job_id } = await agent.runs.submit(fakeRequest("until-stopped", { job_id: "two" }));
  expect(await statusOf("POST", "/two/stop")).toBe(200);
  expect((await untilEnded(agent.runs, job_id)).state).toBe("stopped");
  expect(await statusOf("POST", "/two/stop")).toBe(409);
});

test("a job that has ended is removed, and one that has not is not", async () => {
  const { job_id } = await agent.runs.submit(fakeRequest("until-stopped", { job_id: "three" }));
  expect(await statusOf("DELETE", "/three")).toBe(409);
  // As clients do that send this header with every request.
  const headers = { "content-type": "application/json" };
  expect((await fetch(`${served.url}/compute/jobs/three/stop`, { method: "POST", headers })).status).toBe(200);
  await untilEnded(agent.runs, job_id);
  await vi.waitFor(async () => expect(await statusOf("DELETE", "/three")).toBe(204), 10_000);
  expect(await statusOf("DELETE", "/three")).toBe(404);
  expect(await statusOf("GET", "/three")).toBe(404);
  expect(await statusOf("GET", "?after=three")).toBe(404);
});

test("what is not known, not there, or not of the form", async () => {
  const { spec } = fakeRequest("succeed");
  const views = ["", "/events", "/logs", "/artifacts"];
  for (const path of views) expect(await statusOf("GET", `/none${path}`)).toBe(404);
  expect(await statusOf("GET", "/..%2f..%2fetc")).toBe(422);
  expect(await statusOf("POST", "", { spec, job_id: "../x" })).toBe(422);
  expect(await statusOf("POST", "", { spec: { ...spec, kind: "other" } })).toBe(422);
  expect(await statusOf("POST", "", { spec, surprise: 1 })).toBe(422);
  expect(await statusOf("POST", "", { spec, gpus: 9 })).toBe(422);
  expect(await statusOf("POST", "", { spec, gpu_id: 0, gpus: 3 })).toBe(400);
  expect(await statusOf("POST", "", { spec, job_id: "one", priority: 9 })).toBe(409);
  expect(await statusOf("POST", "", { spec, engine: "llamafactory" })).toBe(503);
  expect(await statusOf("GET", "/one/logs?tail=0")).toBe(422);
  expect(await statusOf("GET", "/one/logs?tail=99999999999999999999")).toBe(422);
  expect(await statusOf("GET", "?limit=1000")).toBe(422);
});

test("a reader that goes away holds nothing", async () => {
  const { job_id } = await agent.runs.submit(fakeRequest("until-stopped"));
  const leave = new AbortController();
  const response = await fetch(`${served.url}/compute/jobs/${job_id}/events`, { signal: leave.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  leave.abort();
  await expect(reader?.read()).rejects.toThrow(/abort/i);
  const job = (await (await ask("POST", `/${job_id}/stop`)).json()) as JobView;
  expect(job.state).toMatch(/stopp/);
  await untilEnded(agent.runs, job_id);
});
