/**
 * `npm run bench:events [READERS] [SLOW]`: follows the events of one tenant with so many readers (200, 50 of them slow) of one
 * platform process, and once with as many that are all quick. Reports how long events take from the transaction to the
 * readers, at 20 a second, and the resident memory of the process, while 4,000 events of 2 kB come as fast as they are
 * written. A slow reader takes nothing of its stream.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@attune/contracts/rest/create-client.ts";
import { changePassword, signIn } from "@attune/contracts/rest/identity.ts";
import { createModel } from "@attune/contracts/rest/models.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createTestDatabase } from "@attune/testkit/test-database.ts";
import { createDatabase } from "../../apps/platform/src/infra/db/create-database.ts";
import { openReaders, publishMany } from "./follow-many.ts";

const readers = Number(process.argv[2] ?? 200);
const slow = Number(process.argv[3] ?? Math.floor(readers / 4));
const calm = { events: 200, padding: 0, pauseMs: 50 };
const flood = { events: 4000, padding: 1900, pauseMs: 0 };
const stallTimeoutMs = 5000;
const main = join(import.meta.dirname, "../../apps/platform/src/main.ts");

for (const slowOnes of [0, slow]) {
  await using database = await createTestDatabase();
  await using platform = await startPlatform(database.url);
  await measure(platform, { databaseUrl: database.url, quick: readers - slowOnes, slowOnes });
}

interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly baseUrl: string;
  readonly token: string;
  readonly tenantId: string;
  readonly modelId: string;
}

interface Scene {
  readonly databaseUrl: string;
  readonly quick: number;
  readonly slowOnes: number;
}

async function measure(platform: Running, { databaseUrl, quick, slowOnes }: Scene): Promise<void> {
  const timeouts = { connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 };
  const publisher = createDatabase(
    { url: databaseUrl, ...timeouts, maxConnections: 2 },
    createLogger("bench", "error"),
  );
  const resident = watchResident(platform.pid);
  const before = resident.now();
  await using open = await openReaders({ ...platform, quick, slow: slowOnes });
  const connected = resident.now();
  await publishMany(publisher, { ...platform, ...calm });
  await open.untilAll(calm.events);
  const latencies = open.takeLatencies().toSorted((a, b) => a - b);
  resident.restart();
  const startMs = performance.now();
  await publishMany(publisher, { ...platform, ...flood });
  await open.untilAll(calm.events + flood.events);
  const seconds = (performance.now() - startMs) / 1000;
  const peak = resident.peak();
  // Long enough for every slow reader to be found out.
  await sleep(stallTimeoutMs + 3000);
  const cutOff = await open.countCutOff();
  const after = resident.now();
  resident.stop();
  await publisher.close();
  const at = (share: number): string => (latencies[Math.floor(latencies.length * share)] ?? NaN).toFixed(0);
  console.log(`${quick} quick and ${slowOnes} slow readers`);
  console.log(`  latency at 20 events/s: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
  console.log(`  flood: ${flood.events} events in ${seconds.toFixed(1)} s, ${open.faults().length} missed or doubled`);
  console.log(
    `  resident: ${before} MiB without readers, ${connected} with, ${peak} at most in the flood, ${after} after`,
  );
  console.log(`  ${cutOff} of ${slowOnes} slow readers cut off`);
}

async function startPlatform(databaseUrl: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "attune-bench-"));
  const environment = {
    PATH: process.env["PATH"],
    DATABASE_URL: databaseUrl,
    ATTUNE_DATA_DIR: folder,
    PLATFORM_PORT: "0",
    PLATFORM_LOG_LEVEL: "error",
    PLATFORM_RATE_PER_SECOND: "100000",
    PLATFORM_EVENT_STREAMS_PER_USER: "10000",
    PLATFORM_EVENT_HEARTBEAT_MS: "1000",
    PLATFORM_EVENT_STALL_TIMEOUT_MS: String(stallTimeoutMs),
  };
  spawnSync(process.execPath, [main, "migrate"], { env: environment, stdio: "inherit" });
  const child = spawn(process.execPath, [main, "serve"], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const { baseUrl, email, password } = await whenReady(child);
  return {
    pid: child.pid ?? 0,
    baseUrl,
    ...(await signInAt(baseUrl, { email, password })),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await once(child, "close");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function whenReady(child: ChildProcess): Promise<{ baseUrl: string; email: string; password: string }> {
  let output = "";
  for await (const piece of child.stdout ?? []) {
    output += String(piece);
    const baseUrl = /^Attune on (http\S+)$/m.exec(output)?.[1];
    const [, email = "", password = ""] = /^First sign-in: (\S+) (\S+)$/m.exec(output) ?? [];
    if (baseUrl !== undefined) return { baseUrl, email, password };
  }
  throw new Error(`The platform does not serve: ${output}`);
}

async function signInAt(baseUrl: string, first: { readonly email: string; readonly password: string }) {
  const { token } = (await createClient({ baseUrl, token: () => undefined }).call(signIn, { body: first })).body;
  const client = createClient({ baseUrl, token: () => token });
  const change = { current_password: first.password, new_password: "a benchmark's own password" };
  await client.call(changePassword, { body: change });
  const tenantId = (await client.call(getTenant, {})).body.id;
  const modelId = (await client.call(createModel, { body: { kind: "base", name: "Followed" } })).body.id;
  return { token, tenantId, modelId };
}

/** Resident memory of a process in MiB, and the most that was seen since the last restart. */
function watchResident(pid: number) {
  const now = (): number => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
  };
  let most = now();
  const timer = setInterval(() => (most = Math.max(most, now())), 50);
  return {
    now,
    peak: () => most,
    restart: () => (most = now()),
    stop: () => clearInterval(timer),
  };
}
