import { loadSync } from "@grpc/proto-loader";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { until } from "@attune/testkit/processes.ts";
import { Client, type ClientReadableStream, credentials, loadPackageDefinition, type Metadata } from "@grpc/grpc-js";
import { protoPath as healthProtoPath } from "grpc-health-check";
import { afterEach, expect, test } from "vitest";
import { createAdmission } from "../pipeline/admission.ts";
import type { ParseOutcome } from "../pipeline/parse-call.ts";
import { createServer, type ServerDeps, type ServerSettings } from "./create-server.ts";

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const settings: ServerSettings = {
  host: "127.0.0.1",
  port: 0,
  token: undefined,
  tls: undefined,
  hasReflection: true,
  maxRequestBytes: 1 << 20,
  maxResponseBytes: 1 << 26,
  receiveTimeoutMs: 20_000,
};

async function start(own: Partial<ServerDeps> = {}) {
  const admission = createAdmission({ maxInside: 8, workers: 1 });
  const deps = { admission, parseDocument: async () => parsed, onEnd: () => {}, listFormats: async () => [] };
  const server = createServer(settings, { ...deps, listEngines: async () => [], ...own });
  const address = `127.0.0.1:${await server.start()}`;
  closers.push(() => server.drain(0));
  return { server, admission, address };
}

const parsed: ParseOutcome = {
  success: true,
  content: Buffer.from("text"),
  contentLength: 4,
  message: "",
  fileType: "txt",
  parserEngine: "test",
};

function clientOf(address: string) {
  const client = createDocparserClient(address);
  closers.push(() => client.close());
  return client;
}

interface HealthAnswer {
  readonly status: string;
}

interface Health extends Client {
  check(request: object, done: (error: Error | null, answer?: HealthAnswer) => void): void;
  watch(request: object): ClientReadableStream<HealthAnswer>;
}

function healthOf(address: string) {
  const definition = loadSync(healthProtoPath, { enums: String });
  const root = loadPackageDefinition(definition) as unknown as {
    grpc: { health: { v1: { Health: new (address: string, channel: unknown) => Health } } };
  };
  const client = new root.grpc.health.v1.Health(address, credentials.createInsecure());
  closers.push(() => client.close());
  const check = (service: string): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      client.check({ service }, (error, answer) => (error ? reject(error) : resolve(answer?.status)));
    });
  const watch = (service: string) => {
    const states: string[] = [];
    let hasEnded = false;
    const stream = client.watch({ service });
    stream.on("data", ({ status }: HealthAnswer) => states.push(status));
    stream.on("error", () => (hasEnded = true));
    return { states, hasEnded: () => hasEnded };
  };
  return { check, watch };
}

test("health tells when no document can be parsed, and when again", async () => {
  let ready = true;
  const { address } = await start({ isReady: () => ready });
  const health = healthOf(address);
  const watched = ["", "docparser.DocumentParser"].map(health.watch);
  const areAll = (...states: readonly string[]): boolean =>
    watched.every((watch) => JSON.stringify(watch.states) === JSON.stringify(states));
  await until(() => areAll("SERVING"), 3000, "both serve");

  ready = false;
  await until(() => areAll("SERVING", "NOT_SERVING"), 3000, "neither serves");
  expect(await health.check("docparser.DocumentParser")).toBe("NOT_SERVING");
  ready = true;
  await until(() => areAll("SERVING", "NOT_SERVING", "SERVING"), 3000, "both serve again");
});

test("a service that cannot parse from the start is not reported as serving", async () => {
  const { address } = await start({ isReady: () => false });
  expect(await healthOf(address).check("")).toBe("NOT_SERVING");
});

test("draining ends open streams once no call is under way: watchers hear NOT_SERVING, and nothing waits for them", async () => {
  const { server, address } = await start();
  const watch = healthOf(address).watch("");
  await until(() => watch.states.length === 1, 3000, "the watcher watches");

  const startedAtMs = performance.now();
  await server.drain(20_000);

  expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  await until(watch.hasEnded, 2000, "the stream has ended");
  expect(watch.states).toEqual(["SERVING", "NOT_SERVING"]);
});

test("draining waits until answers have arrived, however large, whatever streams are open", async () => {
  const sizeBytes = 40 << 20;
  let finish = (): void => {};
  const large = { ...parsed, content: Buffer.alloc(sizeBytes, "x") };
  const outcome = new Promise<ParseOutcome>((resolve) => (finish = () => resolve(large)));
  const { server, address, admission } = await start({ parseDocument: () => outcome });
  const watch = healthOf(address).watch("");
  await until(() => watch.states.length === 1, 3000, "the watcher watches");
  const call = clientOf(address).parse({ file_url: "data:,a" });
  await until(() => admission.inside === 1, 3000, "the document is inside");

  let hasDrained = false;
  const drained = server.drain(20_000).then(() => (hasDrained = true));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(hasDrained).toBe(false);
  finish();

  expect((await call).content.length).toBe(sizeBytes);
  await drained;
});

test("draining cuts off what has not ended in time", async () => {
  const { server, address, admission } = await start({ parseDocument: () => new Promise(() => {}) });
  const call = clientOf(address).parse({ file_url: "data:,a" });
  await until(() => admission.inside === 1, 3000, "the document is inside");

  const [ended] = await Promise.allSettled([call, server.drain(300)]);
  expect(ended).toMatchObject({ status: "rejected" });
});

test("a place is given back when the answer has been sent", async () => {
  const { address, admission } = await start();
  const client = clientOf(address);
  for (let call = 0; call < 20; call++) await client.parse({ file_url: "data:,a" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(admission.inside).toBe(0);
});

test.each([
  ["engines", { listEngines: () => Promise.reject(new Error("secret of the machine")) }],
  ["formats", { listFormats: () => Promise.reject(new Error("secret of the machine")) }],
] as const)("a list of %s that cannot be made is reported with the id that its caller gets", async (method, own) => {
  const faults: [AppError, string][] = [];
  const { address } = await start({ ...own, onFault: (error, requestId) => faults.push([error, requestId]) });

  const call = clientOf(address)[method]({ metadata: { "x-request-id": "call-7" } });

  await expect(call).rejects.toMatchObject({ details: expect.stringMatching(/^INTERNAL: .*Its id is call-7\./) });
  await expect(call).rejects.not.toMatchObject({ details: expect.stringContaining("secret") });
  expect(faults).toEqual([[expect.any(AppError), "call-7"]]);
  expect(faults[0]?.[0].cause).toEqual(new Error("secret of the machine"));
});

test.each(["GetEngines", "GetSupportedFormats", "ParseDocument"])("%s answers with an id", async (method) => {
  const { address } = await start();
  const client = new Client(address, credentials.createInsecure());
  closers.push(() => client.close());
  const same = (bytes: Buffer): Buffer => bytes;

  const call = client.makeUnaryRequest(`/docparser.DocumentParser/${method}`, same, same, Buffer.alloc(0), () => {});
  const metadata = await new Promise<Metadata>((resolve) => call.once("metadata", resolve));

  expect(metadata.get("x-request-id")).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
});
