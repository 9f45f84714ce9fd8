import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createDocparserClient,
  type DocparserClient,
  type ParseRequest,
  type ParseResponse,
} from "@attune/testkit/docparser-client.ts";
import { descendantsOf, isAlive, until } from "@attune/testkit/processes.ts";
import { type StartedDocparser, startDocparser } from "@attune/testkit/start-docparser.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printReport, type ReportRow } from "./hostile-report.ts";
import { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
import { peakMibOf } from "./peak-memory.ts";

/** What must come of a case: the reason of its refusal, or why it is right that it is read, and what the answer holds. */
export type Expectation =
  | string
  | {
      readonly readBecause: string;
      readonly content?: RegExp;
      readonly lacks?: RegExp;
      readonly message?: RegExp;
    };

export interface HostileCase {
  /** Number in the list of threats. */
  readonly id: string;
  readonly what: string;
  /** Name of the file, which a file:// URL gives. */
  readonly name: string;
  readonly make: () => Uint8Array | string;
  readonly expected: Expectation;
  readonly overrides?: Readonly<Record<string, string>>;
}

/** A case that brings its own request: addresses, not files. */
export interface HostileRequest extends Pick<HostileCase, "id" | "what" | "expected"> {
  readonly request: (service: StartedDocparser) => ParseRequest;
}

export interface FamilySettings {
  readonly family: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const workers = 2;
const workerMemoryMib = 512;
const timeoutMs = 10_000;
/** Beyond the time to parse: fetching, and giving up a worker that does not answer. */
const answerGraceMs = 5_000;
const maxServiceMib = 400;
/** Code, stacks and what V8 keeps for itself beside what a document may use. */
const ownWorkerMib = 160;

const environment = {
  PARSER_WORKERS: String(workers),
  PARSER_WORKER_MEMORY_MIB: String(workerMemoryMib),
  PARSER_TIMEOUT_MS: String(timeoutMs),
  PARSER_FETCH_TIMEOUT_MS: "4000",
  PARSER_MAX_EXPANDED_MIB: "128",
  PARSER_MAX_ENTRY_MIB: "64",
  PARSER_MAX_OUTPUT_MIB: "32",
  PARSER_LOG_LEVEL: "error",
};

/**
 * Sends every case to one service, which meanwhile serves others; afterwards looks at what is left of the service. Each case
 * is one test, and so is the end.
 */
export function testHostileFamily(settings: FamilySettings, cases: readonly (HostileCase | HostileRequest)[]): void {
  describe.skipIf(!existsSync("/proc/self/stat"))(`hostile ${settings.family}`, () => {
    const rows: ReportRow[] = [];
    let started: Started | undefined;
    const running = (): Started => started ?? expect.fail("The service did not start.");
    beforeAll(async () => {
      started = await start(settings);
    });
    afterAll(async () => {
      printReport(settings.family, rows);
      await started?.heartbeat.stop();
      started?.client.close();
      await started?.service[Symbol.asyncDispose]();
    });
    test.each(cases)(
      "$id $what",
      async (one) => {
        const { answer, durationMs } = await send(running(), one);
        rows.push({ id: one.id, what: one.what, outcome: outcomeOf(answer), message: answer.message, durationMs });
        expect(durationMs).toBeLessThan(timeoutMs + answerGraceMs);
        assertAnswer(answer, one.expected);
      },
      timeoutMs + 2 * answerGraceMs,
    );
    test("others were served all the while, and nothing is left behind", () => assertUnharmed(running()));
  });
}

interface Started {
  readonly service: StartedDocparser;
  readonly client: DocparserClient;
  readonly heartbeat: Heartbeat;
  readonly processCount: number;
}

async function start(settings: FamilySettings): Promise<Started> {
  const service = await startDocparser({ ...environment, ...settings.environment });
  const client = createDocparserClient(service.address);
  await Promise.all(Array.from({ length: workers }, () => client.parse({ file_url: "data:,warm" })));
  const heartbeat = startHeartbeat(client, service.pid);
  return { service, client, heartbeat, processCount: descendantsOf(service.pid).length };
}

async function send({ service, client }: Started, one: HostileCase | HostileRequest) {
  const request = "request" in one ? one.request(service) : writeCase(service, one);
  const startedAtMs = performance.now();
  const answer = await client.parse(
    { parser_engine: "builtin", ...request },
    { deadlineMs: timeoutMs + answerGraceMs },
  );
  return { answer, durationMs: Math.round(performance.now() - startedAtMs) };
}

function writeCase({ folder }: StartedDocparser, { name, make, overrides = {} }: HostileCase): ParseRequest {
  const path = join(folder, name);
  writeFileSync(path, make());
  return { file_url: pathToFileURL(path).href, engine_overrides: overrides };
}

function outcomeOf({ success, message }: ParseResponse): string {
  if (!success) return message.split(":")[0] ?? "";
  return message === "" ? "read" : "read, with warnings";
}

function assertAnswer(answer: ParseResponse, expected: Expectation): void {
  const shown = { ...answer, content: answer.content.slice(0, 300) };
  if (typeof expected === "string") {
    expect(shown).toMatchObject({ success: false, content: "", content_length: 0 });
    expect(outcomeOf(answer)).toBe(expected);
  } else {
    expect(shown).toMatchObject({ success: true, message: expect.stringMatching(expected.message ?? /^/) });
    expect(answer.content).toMatch(expected.content ?? /^/);
    expect(answer.content).not.toMatch(expected.lacks ?? /PARSER_|MARKUP_REFUSED:|DOCUMENT_CORRUPT:/);
  }
}

async function assertUnharmed({ service, heartbeat, processCount }: Started): Promise<void> {
  await until(() => descendantsOf(service.pid).length >= processCount, 10_000, "the workers are back");
  const beats = await heartbeat.stop();
  expect(beats.wrong).toEqual([]);
  expect(beats.slowestMs).toBeLessThan(5_000);
  expect(beats.count).toBeGreaterThan(0);
  expect(isAlive(service.pid)).toBe(true);
  expect(peakMibOf(service.pid)).toBeLessThan(maxServiceMib);
  expect(beats.peakWorkerMib).toBeLessThan(workerMemoryMib + ownWorkerMib);
  expect(descendantsOf(service.pid).length).toBe(processCount);
  expect(filesIn(join(service.folder, "work"))).toEqual([]);
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile());
}
