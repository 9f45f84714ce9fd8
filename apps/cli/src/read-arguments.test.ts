import { expect, test } from "vitest";
import { helpText, readArguments } from "./read-arguments.ts";

test.each([
  [["up"], { name: "up" }],
  [["doctor"], { name: "doctor" }],
  [["doctor", "storage"], { name: "doctor-storage" }],
  [["reset"], { name: "reset", isConfirmed: false }],
  [["reset", "--yes"], { name: "reset", isConfirmed: true }],
  [["--help"], { name: "help", fault: undefined }],
  [[], { name: "help", fault: undefined }],
  [["down"], { name: "help", fault: "There is no command `down`." }],
  [["up", "--yes"], { name: "help", fault: "--yes is an option of `reset`." }],
  [["up", "--fast"], { name: "help", fault: expect.stringContaining("--fast") }],
])("%j", (args, command) => {
  expect(readArguments(args)).toEqual(command);
});

test("the help names every command", () => {
  for (const command of ["up", "doctor", "doctor storage", "reset --yes"])
    expect(helpText).toContain(`attune ${command} `);
});
