import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { corpusPdfs } from "./corpus.fixture.ts";

const folder = join(import.meta.dirname, "../../../corpus/pdf");

// UPDATE_GOLDEN=1 writes the files; their expected Markdown stands beside them.
test.each(Object.entries(corpusPdfs))("%s is the file that its specification makes", (name, make) => {
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), make());
  }
  expect(readFileSync(join(folder, name)).equals(make())).toBe(true);
});
