import { PassThrough } from "node:stream";
import { AppError } from "@attune/service-kit/app-error.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngineLog } from "../create-engine-log.ts";
import type { EngineProcess } from "../engine-process.ts";
import { connectWorker } from "./worker-connection.ts";

/** A connection with a worker that writes these bytes and is gone then. */
function connect() {
  const stdout = new PassThrough();
  const process: EngineProcess = {
    pid: 0,
    stdin: new PassThrough(),
    stdout,
    log: createEngineLog("/dev/null"),
    exited: new Promise(() => undefined),
    end: async () => undefined,
  };
  const told: string[] = [];
  const connection = connectWorker(process, ({ type }) => void told.push(type));
  return { stdout, connection, told };
}

const known = { request_id: "mine" };
const events = [
  { type: "delta", ...known, i: 0, text: "One" },
  { type: "usage", ...known, prompt_tokens: 1, completion_tokens: 1 },
  { type: "finished", ...known, finish: "stop" },
].map((event) => Buffer.from(`${JSON.stringify(event)}\n`));

// What is no event of the protocol, or one of another request, and ends with its line.
const noise = fc
  .oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0a))),
    fc.json().map((text) => Buffer.from(text.replaceAll("\n", " "))),
    fc
      .record({
        type: fc.constantFrom("delta", "finished", "usage", "error"),
        request_id: fc.constantFrom("yours", 7, {}),
      })
      .map((event) => Buffer.from(JSON.stringify(event))),
  )
  .map((line) => Buffer.concat([line, Buffer.from("\n")]));

test("an answer is what was said of its request, whatever else the worker writes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(noise, { maxLength: 4 }), { minLength: 4, maxLength: 4 }), async (between) => {
      const { stdout, connection } = connect();
      const { backlog, finished } = connection.open("mine", () => undefined);
      stdout.end(Buffer.concat(between.flatMap((lines, index) => [...lines, ...events.slice(index, index + 1)])));
      await finished;
      expect([await backlog.next(), await backlog.next(), await backlog.next(), await backlog.next()]).toEqual([
        { type: "delta", text: "One" },
        { type: "usage", promptTokens: 1, completionTokens: 1 },
        { type: "done", finish: "stop" },
        undefined,
      ]);
    }),
    { numRuns: 200 },
  );
});

test("what fails is told to every answer that is open, and to those that come later", async () => {
  const { connection } = connect();
  const open = connection.open("a", () => undefined);
  connection.fail(new AppError("INFERENCE_ENGINE_DIED"));
  const late = connection.open("b", () => undefined);
  for (const { backlog, finished } of [open, late]) {
    await finished;
    await expect(backlog.next()).rejects.toMatchObject({ reason: "INFERENCE_ENGINE_DIED" });
  }
});

test("events that say something of the worker are told as such", async () => {
  const { stdout, told } = connect();
  const lines = [
    '{"type":"hello","pid":1,"protocol":1}',
    '{"type":"ready","context_length":8}',
    '{"type":"error","code":"x","message":"y"}',
  ];
  stdout.end(lines.map((line) => `${line}\n`).join(""));
  await new Promise((resolve) => stdout.once("close", resolve));
  expect(told).toEqual(["hello", "ready", "error"]);
});
