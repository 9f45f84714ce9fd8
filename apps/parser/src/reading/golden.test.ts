import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { golden } from "@attune/testkit/golden.ts";
import { expect, test } from "vitest";
import { createProbe } from "../detection/create-probe.ts";
import { detectFormat } from "../detection/detect-format.ts";
import { normaliseDocument } from "../document/normalise-document.ts";
import { renderDocument } from "../document/render/render-document.ts";
import type { RenderOptions } from "../document/render/render-options.ts";
import * as formatModules from "../formats.ts";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { createPageRecogniser } from "../ocr/create-page-recogniser.ts";
import { readSource } from "./read-source.ts";

/*
 * corpus/FORMAT/NAME.EXT beside its expected Markdown corpus/FORMAT/NAME.EXT.golden.md: all our own files. A file's folder
 * is the format it must be detected as. UPDATE_GOLDEN=1 writes the expected files.
 */
const corpus = join(import.meta.dirname, "../../corpus");
const formats = Object.values(formatModules);
const render: RenderOptions = {
  outputFormat: "markdown",
  tables: "auto",
  images: "placeholder",
  pageMarkers: true,
  frontMatter: true,
  footnotes: "keep",
  formulas: "latex",
  links: "keep",
};

/** By Tesseract as WebAssembly, which reads the same everywhere. */
const ocr = { when: "auto", languages: ["eng"] } as const;

const files = readdirSync(corpus).flatMap((format) =>
  readdirSync(join(corpus, format))
    .filter((name) => !name.endsWith(".golden.md"))
    .map((name) => ({ format, name })),
);

test.each(files)("$format: $name is read as its golden file says", async ({ format, name }) => {
  const path = join(corpus, format, name);
  const bytes = readFileSync(path);

  const detection = detectFormat(createProbe(bytes), { fileName: name }, formats);
  const { document, warnings } = await readSource(
    { bytes, fileName: name, format: detection?.format.name ?? "" },
    { pages: [], headersFooters: "drop", images: "placeholder", ocr, recogniser: createPageRecogniser(undefined) },
    new Budget(defaultLimits),
  );
  const actual = [
    renderDocument(normaliseDocument(document), render),
    ...warnings.map((warning) => `<!-- warning: ${warning} -->\n`),
  ].join("");

  expect(detection?.format.name).toBe(format);
  expect(actual).toBe(golden(`${path}.golden.md`, actual));
});

test.each(formats.filter(({ load }) => load !== undefined))("$name has a golden file", ({ name }) => {
  expect(files.map(({ format }) => format)).toContain(name);
});
