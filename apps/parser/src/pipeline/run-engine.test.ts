import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { defineEngine, type EngineDefinition, type Honours, type ParseEngine } from "../engines/engine.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import { createEngineRegistry } from "./engine-registry.ts";
import { ParseRecord } from "./parse-record.ts";
import { runEngine } from "./run-engine.ts";

const parsed = { content: Buffer.from("text"), contentLength: 4, isEmpty: false, warnings: ["of its own"] };

interface Behaviour {
  readonly name: string;
  readonly rank?: number;
  readonly honours?: Honours;
  readonly parse?: ParseEngine["parse"];
}

function engine({ name, rank = 0, honours = {}, parse = async () => parsed }: Behaviour): EngineDefinition {
  return defineEngine({
    name,
    description: name,
    formats: ["txt", "pdf"],
    rank,
    settings: {},
    overrides: {},
    honours,
    create: () => ({ probe: async () => ({ isAvailable: true }), parse }),
  });
}

interface Call {
  readonly overrides: Readonly<Record<string, string>>;
  readonly format?: string;
  readonly record?: ParseRecord;
}

function run(
  definitions: readonly EngineDefinition[],
  { overrides, format = "txt", record = new ParseRecord("id") }: Call,
) {
  const registered = definitions.map((definition) => ({ definition, engine: definition.create({} as never) }));
  const engines = createEngineRegistry(registered);
  const [entry] = registered;
  if (entry === undefined) throw new Error("no engine");
  const read = readOverrides(overrides, engines.overrides);
  const source = {
    format,
    fileName: "",
    sizeBytes: 0,
    readBytes: async () => Buffer.alloc(0),
    toPath: async () => "",
  };
  const request = { source, options: read.options, overrides: read };
  const choice = { entry, warnings: [] };
  return runEngine({ choice, request, engines, record }, new AbortController().signal);
}

test("the caller is told of every override that changes what is read and that the engine ignores", async () => {
  const honours: Honours = { pages: ["pdf"], ocr: true };
  const overrides = { pages: "2", max_pages: "3", ocr: "always", password: "hush", encoding: "gb18030" };

  expect((await run([engine({ name: "some", honours })], { overrides })).warnings).toEqual([
    "some ignores the override pages.",
    "some ignores the override max_pages.",
    "some ignores the override password.",
    "some ignores the override encoding.",
    "of its own",
  ]);
  expect(
    (await run([engine({ name: "some", honours })], { overrides: { pages: "2" }, format: "pdf" })).warnings,
  ).toEqual(["of its own"]);
});

test("an override that asks for what is done anyway is not ignored", async () => {
  const overrides = { ocr: "auto", headers_footers: "DROP", ocr_languages: "eng", output_format: "text" };

  expect((await run([engine({ name: "some" })], { overrides })).warnings).toEqual(["of its own"]);
});

test("an engine that stands in for another has what the other left of the time, and its own list", async () => {
  const failure = new AppError("ENGINE_FAILED", {}, new Error("what it said"));
  const failing = engine({
    name: "first",
    honours: { pages: true },
    parse: async () => {
      await wait(120);
      throw failure;
    },
  });
  const lefts: number[] = [];
  const second = engine({
    name: "second",
    rank: 1,
    parse: async ({ clock }) => {
      lefts.push(clock.leftMs(1000));
      return parsed;
    },
  });

  const record = new ParseRecord("id");
  const { warnings } = await run([failing, second], { overrides: { fallback: "auto", pages: "1" }, record });
  expect(record).toMatchObject({ engine: "second", cause: failure, reason: undefined });
  expect(lefts[0]).toBeGreaterThan(0);
  expect(lefts[0]).toBeLessThanOrEqual(890);
  expect(warnings).toEqual([
    expect.stringMatching(/^second was used because first failed/),
    "second ignores the override pages.",
    "of its own",
  ]);
});
