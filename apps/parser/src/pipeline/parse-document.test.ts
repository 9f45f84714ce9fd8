import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { defineEngine, type EngineDefinition, type EngineRequest, type ParsedText } from "../engines/engine.ts";
import { flag } from "../overrides/override.ts";
import type { Format } from "../readers/format.ts";
import { createEngineRegistry } from "./engine-registry.ts";
import type { FetchedFile } from "./fetch-file.ts";
import type { ParseCall } from "./parse-call.ts";
import { createParseDocument } from "./parse-document.ts";
import { ParseRecord } from "./parse-record.ts";

const formats: readonly Format[] = [
  { name: "txt", description: "Text", extensions: ["txt"], mediaTypes: ["text/plain"], isText: true },
  {
    name: "scan",
    description: "Scan",
    extensions: ["scan"],
    mediaTypes: [],
    sniff: ({ head }) => (head[0] === 1 ? 1 : 0),
  },
];

const parsed = (content: string, warnings: readonly string[] = []): ParsedText => ({
  content: Buffer.from(content),
  contentLength: content.length,
  isEmpty: content === "",
  warnings,
});

interface Behaviour {
  readonly name: string;
  readonly rank?: number;
  readonly formats?: readonly string[];
  readonly unavailable?: string;
  readonly answer?: (request: EngineRequest) => ParsedText;
}

function engine(behaviour: Behaviour): EngineDefinition {
  const { name, rank, formats: reads = ["txt"], unavailable, answer = () => parsed(`by ${name}`) } = behaviour;
  return defineEngine({
    name,
    rank,
    description: name,
    formats: reads,
    settings: {},
    overrides: { [`${name}_flag`]: flag(false, "A flag.") },
    honours: {},
    create: () => ({
      probe: async () =>
        unavailable === undefined ? { isAvailable: true } : { isAvailable: false, reason: unavailable },
      parse: async (request) => answer(request),
    }),
  });
}

function pipeline(engines: readonly EngineDefinition[], bytes = Buffer.from("text")) {
  const disposed: string[] = [];
  const file = (): FetchedFile => ({
    sizeBytes: bytes.length,
    readBytes: async () => bytes,
    readChunks: async function* () {
      yield await Promise.resolve(bytes);
    },
    openForAccess: async () => ({
      sizeBytes: bytes.length,
      readAt: (offset, length) => bytes.subarray(offset, offset + length),
      [Symbol.asyncDispose]: async () => undefined,
    }),
    toPath: async () => "",
    [Symbol.asyncDispose]: async () => void disposed.push("file"),
  });
  const registered = engines.map((definition) => ({ definition, engine: definition.create({} as never) }));
  const parseDocument = createParseDocument({
    fetchFile: async () => file(),
    judgeUrl: async () => undefined,
    formats,
    engines: createEngineRegistry(registered),
  });
  const parse = (call: Partial<ParseCall> = {}, signal = new AbortController().signal) => {
    const whole = { fileUrl: "x:", fileName: "a.txt", fileType: "", parserEngine: "", engineOverrides: {}, ...call };
    return parseDocument(whole, new ParseRecord("id"), signal);
  };
  return { parse, disposed };
}

const failing = (error: unknown) => (): never => {
  throw error;
};

test("the available engine of the lowest rank parses when none is named", async () => {
  const { parse, disposed } = pipeline([
    engine({ name: "later", rank: 2 }),
    engine({ name: "down", rank: 0, unavailable: "It is down; start it." }),
    engine({ name: "first", rank: 1 }),
    engine({ name: "unranked" }),
  ]);

  expect(await parse()).toMatchObject({ success: true, parserEngine: "first", fileType: "txt" });
  expect(await parse({ parserEngine: "auto" })).toMatchObject({ parserEngine: "first" });
  expect(await parse({ parserEngine: "unranked" })).toMatchObject({ parserEngine: "unranked" });
  expect(disposed).toHaveLength(3);
});

test("an engine that is named is used or refused, with what is missing", async () => {
  const { parse } = pipeline([
    engine({ name: "first", rank: 0 }),
    engine({ name: "down", unavailable: "It is down; start it." }),
    engine({ name: "other", formats: ["scan"] }),
  ]);

  expect(await parse({ parserEngine: "down" })).toMatchObject({
    success: false,
    message: expect.stringMatching(/^ENGINE_UNAVAILABLE: .*It is down; start it\./),
  });
  expect(await parse({ parserEngine: "other" })).toMatchObject({
    message: expect.stringMatching(/^ENGINE_UNSUITABLE: .*other does not read txt/),
  });
});

test("with fallback another engine stands in, and the message says so", async () => {
  const { parse } = pipeline([
    engine({ name: "first", rank: 0 }),
    engine({ name: "down", unavailable: "It is down." }),
    engine({ name: "broken", rank: 5, answer: failing(new AppError("ENGINE_FAILED", { detail: "It choked." })) }),
  ]);
  const engineOverrides = { fallback: "auto" };

  expect(await parse({ parserEngine: "down", engineOverrides })).toMatchObject({
    success: true,
    parserEngine: "first",
    message: "first was used instead of down: It is down.",
  });
  expect(await parse({ parserEngine: "broken", engineOverrides })).toMatchObject({
    success: true,
    parserEngine: "first",
    message: "first was used because broken failed: It choked.",
  });
  expect(await parse({ parserEngine: "broken" })).toMatchObject({
    success: false,
    parserEngine: "broken",
    message: expect.stringMatching(/^ENGINE_FAILED/),
  });
});

test("a fault of the document is not tried on another engine", async () => {
  const { parse } = pipeline([
    engine({ name: "first", rank: 0, answer: failing(new AppError("DOCUMENT_CORRUPT")) }),
    engine({ name: "second", rank: 1 }),
  ]);
  expect(await parse({ engineOverrides: { fallback: "auto" } })).toMatchObject({
    success: false,
    parserEngine: "first",
  });
});

test("a type that only absent engines read is told with what they lack", async () => {
  const { parse } = pipeline(
    [engine({ name: "ocr", rank: 0, formats: ["scan"], unavailable: "Install it." })],
    Buffer.from([1, 0, 2]),
  );
  expect(await parse()).toMatchObject({
    fileType: "scan",
    message: expect.stringMatching(/^ENGINE_UNAVAILABLE: .*ocr: Install it\./),
  });
});

test("an unknown error tells the caller only the id of the request", async () => {
  const { parse } = pipeline([engine({ name: "first", rank: 0, answer: failing(new Error("/secret/path")) })]);
  const outcome = await parse();
  expect(outcome).toMatchObject({ success: false, message: expect.stringMatching(/^INTERNAL: .*Its id is id\./) });
  expect(outcome.message).not.toContain("secret");
});

test("a caller who has left ends the call with the reason of the signal", async () => {
  const controller = new AbortController();
  const left = new AppError("CALL_CANCELLED");
  const answer = (): never => {
    controller.abort(left);
    throw new Error("stopped");
  };
  const { parse } = pipeline([engine({ name: "first", rank: 0, answer })]);
  await expect(parse({}, controller.signal)).rejects.toBe(left);
});

test("an empty text is told as one", async () => {
  const { parse } = pipeline([engine({ name: "first", rank: 0, answer: () => parsed("") })]);
  expect(await parse()).toMatchObject({ success: true, contentLength: 0, message: "The document holds no text." });
});
