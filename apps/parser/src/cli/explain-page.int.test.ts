import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePdf, pdfText } from "@attune/testkit/make-pdf.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorkerPool, type WorkerPool } from "../isolation/create-worker-pool.ts";
import { explainPage } from "./explain-page.ts";
import { type ExplainCommand, readArguments } from "./read-arguments.ts";

const folder = mkdtempSync(join(tmpdir(), "explain-"));
const file = join(folder, "a.pdf");
let pool: WorkerPool;

beforeAll(async () => {
  writeFileSync(file, makePdf({ pages: [{ content: pdfText("Hello on a page.", { x: 72, y: 500 }) }] }));
  pool = await createWorkerPool({ workers: 1, warmFormats: [] });
});

afterAll(async () => {
  await pool.close(0);
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]) {
  const out: Uint8Array[] = [];
  const errors: string[] = [];
  const command = readArguments(["explain", ...args]) as ExplainCommand;
  const deps = {
    read: pool.read,
    writeOut: (text: Uint8Array) => Promise.resolve(void out.push(text)),
    writeError: (text: string) => void errors.push(text),
  };
  const status = await explainPage(command, deps, new AbortController().signal);
  return { status, out: Buffer.concat(out).toString(), errors: errors.join("") };
}

test("a page is drawn by a worker, on standard output or into a file that is kept unless forced", async () => {
  const { status, out } = await run(file, "--page", "1");
  expect(status).toBe(0);
  expect(out).toContain("<title>paragraph: Hello on a page.</title>");
  const output = join(folder, "a.svg");
  expect((await run(file, "--page", "1", "--output", output)).status).toBe(0);
  expect(readFileSync(output, "utf8")).toBe(out);
  const again = await run(file, "--page", "1", "--output", output);
  expect([again.status, again.errors]).toEqual([1, `${output} exists already; --force overwrites it.\n`]);
  expect((await run(file, "--page", "1", "--output", output, "--force")).status).toBe(0);
});

test("what cannot be drawn says why", async () => {
  expect((await run(file, "--page", "2")).errors).toContain("Its page 2 was not read");
  const text = join(folder, "a.txt");
  writeFileSync(text, "no PDF");
  expect((await run(text, "--page", "1")).errors).toContain("It has no readable PDF structure");
  expect((await run(join(folder, "none.pdf"), "--page", "1")).errors).toContain("ENOENT");
});

test("parse does not take the options of explain", () => {
  expect(readArguments(["parse", "a.pdf", "--page", "2"])).toMatchObject({ name: "help" });
  expect(readArguments(["parse", "a.pdf", "--output", "a.md"])).toMatchObject({ name: "help" });
});

test("the arguments of explain are one file and a page from 1", () => {
  expect(readArguments(["explain", "a.pdf", "--page", "3", "--output", "a.svg"])).toEqual({
    name: "explain",
    input: "a.pdf",
    page: 3,
    output: "a.svg",
    isForced: false,
  });
  for (const args of [
    ["a.pdf"],
    ["a.pdf", "--page", "0"],
    ["a.pdf", "--page", "x"],
    ["--page", "1"],
    ["a", "b", "--page", "1"],
  ])
    expect(readArguments(["explain", ...args])).toMatchObject({
      name: "help",
      fault: expect.stringContaining("explain"),
    });
});
