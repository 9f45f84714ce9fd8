import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { agentRows } from "./agent-rows.ts";
import { killCases } from "./kill-cases.ts";
import { renderTruth } from "./render-truth.ts";
import { stopCases } from "./stop-cases.ts";
import { trainerCases } from "./trainer-cases.ts";
import { wordCases } from "./word-cases.ts";

const path = join(import.meta.dirname, "../../../../../docs/reference/run-truth.md");

test("the page of the truth table is what the tests check", () => {
  const page = renderTruth({
    "What the worker says": wordCases,
    "Processes that are killed, hang or take too much": killCases,
    "Runs that are stopped": stopCases,
    "The agent, the machine, the disk, the GPUs": Object.values(agentRows),
    "The real trainer": trainerCases,
  });
  // oxlint-disable-next-line node/no-process-env -- as for golden files
  if (process.env["UPDATE_TRUTH"] === "1") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, page);
  }
  expect(readFileSync(path, "utf8")).toBe(page);
});
