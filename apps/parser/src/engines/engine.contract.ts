import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import { loadSettings } from "@attune/service-kit/load-config.ts";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as formatModules from "../formats.ts";
import { createWorkerPool, type WorkerPool } from "../isolation/create-worker-pool.ts";
import { createOutboundHttp } from "../outbound/guarded-http.ts";
import { defaultOutboundSettings } from "../outbound/outbound-settings.ts";
import { commonOverrides } from "../overrides/common-overrides.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import { createRunCommand } from "../process/run-command.ts";
import type { EngineDefinition, EngineRequest, ParsedText, ParseEngine, Source } from "./engine.ts";

export interface EngineCase {
  readonly definition: EngineDefinition;
  /** The real program that the engine runs; without it the engine is skipped, and the tests say so. */
  readonly program?: string;
  /** Environment under which the engine works. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Environment under which it does not, and what its reason must name. */
  readonly unavailable?: { readonly environment: Readonly<Record<string, string>>; readonly reason: RegExp };
  readonly document: { readonly format: string; readonly bytes: () => Uint8Array };
  /** What its Markdown must hold. */
  readonly expected: RegExp;
  /** Documents that it refuses. */
  readonly failures?: readonly {
    readonly name: string;
    readonly reason: Reason;
    readonly environment?: () => Readonly<Record<string, string>>;
    readonly format?: string;
    readonly bytes?: Uint8Array;
  }[];
  /** What must never show in an error: keys, addresses. */
  readonly secrets?: readonly string[];
}

/** What every engine keeps, its fakes and real programs alike. */
export function describeEngine(engine: EngineCase): void {
  const { definition, document, program } = engine;
  const isMissing = program !== undefined && !hasProgram(program);
  if (isMissing) console.log(`The engine ${definition.name} is not tested: the program ${program} is not installed.`);
  let pool: WorkerPool;
  beforeAll(async () => {
    pool = await createWorkerPool({ workers: 1, warmFormats: [] });
  });
  afterAll(() => pool.close());

  const create = (environment = engine.environment()): ParseEngine => createEngine(definition, environment, pool);
  const signal = (): AbortSignal => new AbortController().signal;

  describe.skipIf(isMissing)(`engine ${definition.name}`, () => {
    test("its definition names known formats, and keys of its own", () => {
      const known = Object.values(formatModules).map(({ name }) => name);
      expect(known).toEqual(expect.arrayContaining([...definition.formats]));
      expect(new Set(definition.formats).size).toBe(definition.formats.length);
      expect(Object.keys(definition.settings).every((key) => key.startsWith("PARSER_"))).toBe(true);
      expect(Object.keys(definition.overrides).filter((key) => key in commonOverrides)).toEqual([]);
      expect(definition.description).toMatch(/^[A-Z].*[^.]$/s);
    });

    test("it is available where it is set up", async () => {
      expect(await create().probe(valuesOf(definition), signal())).toEqual({ isAvailable: true });
    });

    test.skipIf(engine.unavailable === undefined)("it says what is missing where it is not", async () => {
      const startedAtMs = performance.now();
      const availability = await create(engine.unavailable?.environment).probe(valuesOf(definition), signal());
      expect(availability).toEqual({
        isAvailable: false,
        reason: expect.stringMatching(engine.unavailable?.reason ?? /./),
      });
      expect(performance.now() - startedAtMs).toBeLessThan(2500);
    });

    test("it gives the text of a document", async () => {
      const parsed = await create().parse(requestFor(definition, document.format, document.bytes()), signal());
      const content = Buffer.from(parsed.content).toString("utf8");
      expect(content).toMatch(engine.expected);
      expect(parsed.contentLength).toBe(Array.from(content).length);
    });

    test("it stops when the caller leaves", async () => {
      const controller = new AbortController();
      const reason = new AppError("CALL_CANCELLED");
      controller.abort(reason);
      const request = requestFor(definition, document.format, document.bytes());
      await expect(create().parse(request, controller.signal)).rejects.toBe(reason);
    });

    test.each(engine.failures ?? [])("$name: $reason", async ({ reason, environment, format, bytes }) => {
      const request = requestFor(definition, format ?? document.format, bytes ?? document.bytes());
      const failure = await failureOf(create(environment?.()).parse(request, signal()));
      expect(failure).toMatchObject({ name: "AppError", reason });
      expect(engine.secrets?.filter((secret) => String(failure).includes(secret)) ?? []).toEqual([]);
    });
  });
}

function createEngine(
  definition: EngineDefinition,
  environment: Readonly<Record<string, string>>,
  pool: WorkerPool,
): ParseEngine {
  return definition.create({
    settings: loadSettings(definition.settings, environment, "PARSER_"),
    readIsolated: pool.read,
    http: createOutboundHttp(defaultOutboundSettings),
    runCommand: createRunCommand(),
    timeoutMs: () => 60_000,
  });
}

function valuesOf(
  definition: EngineDefinition,
  given: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  return readOverrides(given, new Map([[definition.name, definition.overrides]])).byEngine.get(definition.name) ?? {};
}

function requestFor(definition: EngineDefinition, format: string, bytes: Uint8Array): EngineRequest {
  const { options } = readOverrides({}, new Map());
  return { source: sourceOf(format, bytes), options, values: valuesOf(definition) };
}

function sourceOf(format: string, bytes: Uint8Array): Source {
  return {
    format,
    fileName: "",
    sizeBytes: bytes.length,
    readBytes: async () => bytes,
    toPath: async () => {
      const { mkdtemp, writeFile } = await import("node:fs/promises");
      const { tmpdir } = await import("node:os");
      const path = `${await mkdtemp(`${tmpdir()}/source-`)}/document`;
      await writeFile(path, bytes);
      return path;
    },
  };
}

async function failureOf(parsing: Promise<ParsedText>): Promise<unknown> {
  return parsing.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
}
