import { expect, test } from "vitest";
import { readProcesses } from "./read-processes.ts";

// Every look at the processes comes several times a second while an engine ends.
test("a look at all processes takes no buffer for each of them", () => {
  readProcesses();
  const before = process.memoryUsage().arrayBuffers;
  const processes = readProcesses();
  expect(processes.map(({ pid }) => pid)).toContain(process.pid);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(processes.length * 1024);
});
