import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWeb } from "./build-web.ts";

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

let folder: string;
beforeAll(() => {
  folder = buildWeb(mkdtempSync(join(tmpdir(), "attune-web-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("what the first page loads is at most 450 kB of JavaScript, gzipped", () => {
  const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Record<string, Chunk>;
  const files = new Set<string>();
  const visit = (name: string): void => {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`The build has no ${name}.`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  // The app, and the first page of the left rail.
  visit("index.html");
  visit("src/features/datasets/datasets-page.tsx");
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).byteLength, 0);
  console.log(`first page: ${files.size} files, ${(bytes / 1000).toFixed(1)} kB gzipped`);
  expect(bytes).toBeLessThanOrEqual(450_000);
});
