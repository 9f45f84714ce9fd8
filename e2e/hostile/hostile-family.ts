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
  /** Settings beside the usual ones; asked for when the service starts. */
  readonly environment?: () => Readonly<Record<string, string>>;
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
 * is one test, and so is the end. The rows returned are filled as the tests run.
 */
export function testHostileFamily(
  settings: FamilySettings,
  cases: readonly (HostileCase | HostileRequest)[],
): readonly ReportRow[] {
  const rows: ReportRow[] = [];
  describe.skipIf(!existsSync("/proc/self/stat"))(`hostile ${settings.family}`, () => {
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
        expect(complaintsAbout(answer, one.expected)).toEqual([]);
      },
      timeoutMs + 2 * answerGraceMs,
    );
    test("others were served all the while, and nothing is left behind", async () => {
      const left = await lookAround(running());
      console.log(settings.family, JSON.stringify(left));
      expect(left).toMatchObject({ isAlive: true, addedProcesses: 0, filesLeft: [], othersServedWrongly: [] });
      expect(left.othersServed).toBeGreaterThan(0);
      expect(left.slowestForOthersMs).toBeLessThan(5_000);
      expect(left.peakServiceMib).toBeLessThan(maxServiceMib);
      expect(left.peakWorkerMib).toBeLessThan(workerMemoryMib + ownWorkerMib);
    });
  });
  return rows;
}

interface Started {
  readonly service: StartedDocparser;
  readonly client: DocparserClient;
  readonly heartbeat: Heartbeat;
  readonly processCount: number;
}

async function start(settings: FamilySettings): Promise<Started> {
  const service = await startDocparser({ ...environment, ...settings.environment?.() });
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

/** In which ways an answer is not the one expected. */
function complaintsAbout(answer: ParseResponse, expected: Expectation): string[] {
  const { success, content, content_length: length, message } = answer;
  if (typeof expected === "string") {
    const isRight = outcomeOf(answer) === expected && content === "" && length === 0;
    return isRight ? [] : [`${outcomeOf(answer)}: ${message} ${content.slice(0, 300)}`];
  }
  const {
    content: wanted = /^/,
    message: told = /^/,
    lacks = /PARSER_MAX|MARKUP_REFUSED:|DOCUMENT_CORRUPT:/,
  } = expected;
  return [
    ...(success && told.test(message) ? [] : [`The message is: ${message}`]),
    ...(wanted.test(content) ? [] : [`The content begins: ${content.slice(0, 300)}`]),
    ...(lacks.test(content) ? [`The content has ${lacks}.`] : []),
  ];
}

/** What is left of the service when all is over. */
async function lookAround({ service, heartbeat, processCount }: Started) {
  const hasWorkers = (): boolean => descendantsOf(service.pid).length >= processCount;
  await until(hasWorkers, 10_000, "the workers are back");
  const { wrong, slowestMs, count, peakWorkerMib } = await heartbeat.stop();
  return {
    isAlive: isAlive(service.pid),
    peakServiceMib: peakMibOf(service.pid),
    peakWorkerMib,
    addedProcesses: descendantsOf(service.pid).length - processCount,
    filesLeft: filesIn(join(service.folder, "work")),
    othersServed: count,
    othersServedWrongly: wrong,
    slowestForOthersMs: slowestMs,
  };
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile());
}
