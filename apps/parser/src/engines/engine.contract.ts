import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import { makeSilentProgram, startSilentServer } from "@attune/testkit/fake-silent-peers.ts";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as formatModules from "../formats.ts";
import { createWorkerPool, type WorkerPool } from "../isolation/create-worker-pool.ts";
import { commonOverrides } from "../overrides/common-overrides.ts";
import type { EngineDefinition, ParseEngine } from "./engine.ts";
import { createEngine, failureOf, requestFor, textOf, until } from "./engine-under-test.contract.ts";
import { jsonLimits } from "./parse-json.ts";

export interface EngineCase {
  readonly definition: EngineDefinition;
  /** The real program that the engine runs; without it the engine is skipped, and the tests say so. */
  readonly program?: string;
  /** What the engine leaves its work to, given as the environment under which it does. */
  readonly peer?: {
    readonly kind: "server" | "json server" | "program";
    readonly environment: (place: string) => Readonly<Record<string, string>>;
  };
  /** It makes a text in UTF-8 of whatever it is given, so that the override `encoding` can change nothing of that text. */
  readonly hasOwnDecoder?: boolean;
  /** Environment under which the engine works. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Environment under which it does not, and what its reason must name. */
  readonly unavailable?: { readonly environment: Readonly<Record<string, string>>; readonly reason: RegExp };
  readonly document: { readonly format: string; readonly bytes: () => Uint8Array };
  /** What its Markdown must hold. */
  readonly expected: RegExp;
  /** Overrides that it follows, and what they make of its document. */
  readonly follows?: readonly {
    readonly overrides: Readonly<Record<string, string>>;
    readonly expected: RegExp;
    readonly warnings?: readonly string[];
  }[];
  /** Documents that it refuses. */
  readonly failures?: readonly {
    readonly name: string;
    readonly reason: Reason;
    readonly environment?: () => Readonly<Record<string, string>>;
    readonly format?: string;
    readonly bytes?: Uint8Array;
    readonly overrides?: Readonly<Record<string, string>>;
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
  const given = () => ({ format: document.format, bytes: document.bytes() });
  const defaultValues = requestFor(definition, { format: document.format, bytes: new Uint8Array() }).values;

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
      expect(await create().probe(defaultValues, signal())).toEqual({ isAvailable: true });
    });

    test.skipIf(engine.unavailable === undefined)("it says what is missing where it is not", async () => {
      const startedAtMs = performance.now();
      const availability = await create(engine.unavailable?.environment).probe(defaultValues, signal());
      expect(availability).toEqual({
        isAvailable: false,
        reason: expect.stringMatching(engine.unavailable?.reason ?? /./),
      });
      expect(performance.now() - startedAtMs).toBeLessThan(2500);
    });

    test("it gives the text of a document", async () => {
      const parsed = await create().parse(requestFor(definition, given()), signal());
      const content = textOf(parsed);
      expect(content).toMatch(engine.expected);
      expect(parsed.contentLength).toBe(Array.from(content).length);
    });

    test("it does not start for a caller who has left", async () => {
      const reason = new AppError("CALL_CANCELLED");
      const request = requestFor(definition, given());
      await expect(create().parse(request, AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    test.skipIf(engine.peer === undefined)("it stops at once when the caller leaves while it works", async () => {
      await using peer = await (engine.peer?.kind === "program" ? makeSilentProgram() : startSilentServer());
      const controller = new AbortController();
      const reason = new AppError("CALL_CANCELLED");
      const failing = failureOf(
        create(engine.peer?.environment(peer.place)).parse(requestFor(definition, given()), controller.signal),
      );
      await until(peer.isAtWork);
      const abortedAtMs = performance.now();
      controller.abort(reason);
      expect(await failing).toBe(reason);
      expect(performance.now() - abortedAtMs).toBeLessThan(1000);
      await until(async () => !(await peer.isAtWork()), 1000);
    });

    test.skipIf(engine.peer === undefined)("it takes no longer than the request may", async () => {
      await using peer = await (engine.peer?.kind === "program" ? makeSilentProgram() : startSilentServer());
      const request = requestFor(definition, { ...given(), overrides: { timeout_ms: "700" } });
      request.clock.discount(-300);
      const startedAtMs = performance.now();
      const failure = await failureOf(create(engine.peer?.environment(peer.place)).parse(request, signal()));
      expect(failure).toMatchObject({ reason: "PARSE_TIMEOUT" });
      expect(performance.now() - startedAtMs).toBeLessThan(690);
    });

    test.skipIf(engine.peer?.kind !== "json server").each(wrongAnswers)(
      "an answer that is %s fails the engine",
      async (_name, answer) => {
        await using server = await startHttpFixture((_request, response) => {
          response.writeHead(200, { "content-type": "application/json" }).end(answer);
        });
        const parsing = create(engine.peer?.environment(server.origin)).parse(
          requestFor(definition, given()),
          signal(),
        );
        expect(await failureOf(parsing)).toMatchObject({ name: "AppError", reason: "ENGINE_FAILED" });
      },
    );

    test.skipIf(engine.hasOwnDecoder !== true)(
      "the encoding of a file is not that of the text made of it",
      async () => {
        const plain = await create().parse(requestFor(definition, given()), signal());
        const overrides = { encoding: "windows-1251" };
        const encoded = await create().parse(requestFor(definition, { ...given(), overrides }), signal());
        expect(textOf(encoded)).toMatch(engine.expected);
        expect(textOf(plain)).toMatch(/[^\0-\x7f]/);
      },
    );

    test.each(engine.follows ?? [])("it follows $overrides", async ({ overrides, expected, warnings = [] }) => {
      const parsed = await create().parse(requestFor(definition, { ...given(), overrides }), signal());
      expect(textOf(parsed)).toMatch(expected);
      expect(parsed.warnings).toEqual(warnings);
    });

    test.each(engine.failures ?? [])("$name: $reason", async ({ reason, environment, format, bytes, overrides }) => {
      const overridden = overrides === undefined ? {} : { overrides };
      const refused = { ...given(), ...(format && { format }), ...(bytes && { bytes }), ...overridden };
      const request = requestFor(definition, refused);
      const failure = await failureOf(create(environment?.()).parse(request, signal()));
      expect(failure).toMatchObject({ name: "AppError", reason });
      expect(engine.secrets?.filter((secret) => String(failure).includes(secret)) ?? []).toEqual([]);
    });
  });
}

const wrongAnswers = [
  ["no JSON", "<html>"],
  ["nothing", ""],
  ["null", "null"],
  ["a number", "7"],
  ["a word", '"word"'],
  ["an empty object", "{}"],
  ["a list of null", "[null]"],
  ["an object of other keys", '{"code":0,"data":{"batch_id":1},"results":[7],"choices":{},"status":"success"}'],
  ["an object of empty values", '{"code":0,"data":null,"results":{},"choices":[],"status":"success","document":null}'],
  ["nested too deep", "[".repeat(jsonLimits.maxDepth + 1)],
] as const;
