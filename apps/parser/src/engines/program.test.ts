import { expect, test } from "vitest";
import { readOverrides } from "../overrides/read-overrides.ts";
import { ParseClock } from "./parse-clock.ts";
import { runEngineCommand } from "./program.ts";
import type { CommandResult } from "./run-command.ts";

const well: CommandResult = {
  exitCode: 0,
  signal: undefined,
  stdout: new Uint8Array(),
  stderr: "what it said",
  isTimedOut: false,
  waitedMs: 0,
};

function run(result: Partial<CommandResult>, clock = new ParseClock()) {
  const runCommand = async () => ({ ...well, ...result });
  const request = {
    source: {
      format: "txt",
      fileName: "",
      sizeBytes: 0,
      readBytes: async () => new Uint8Array(),
      toPath: async () => "",
    },
    options: readOverrides({}, new Map()).options,
    values: {},
    clock,
  };
  const command = { engine: "peer", file: "peer", args: [], maxOutputBytes: 1 };
  return runEngineCommand({ runCommand, timeoutMs: () => 1000 }, { command, request }, new AbortController().signal);
}

test.each([
  ["PARSE_TIMEOUT", { isTimedOut: true }],
  ["ENGINE_FAILED", { exitCode: 2 }],
  ["ENGINE_FAILED", { exitCode: undefined, signal: "SIGSEGV" }],
])("%s carries what the program said, for the log", async (reason, result) => {
  await expect(run(result)).rejects.toMatchObject({ reason, cause: { message: "what it said" } });
  await expect(run(result)).rejects.not.toThrow(/what it said/);
});

test("the time that a program waited for its turn is not the document's", async () => {
  const clock = new ParseClock();
  await run({ waitedMs: 5000 }, clock);
  expect(clock.leftMs(1000)).toBeGreaterThan(5000);
});
