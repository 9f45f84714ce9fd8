/** Reads one file in this very process and prints the document: for writing readers, without service or isolation. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { createProbe } from "../apps/parser/src/detection/create-probe.ts";
import { detectFormat } from "../apps/parser/src/detection/detect-format.ts";
import * as formatModules from "../apps/parser/src/formats.ts";
import { Budget } from "../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../apps/parser/src/limits/default-limits.ts";
import { readSource } from "../apps/parser/src/reading/read-source.ts";
import { normaliseDocument } from "../apps/parser/src/document/normalise-document.ts";
import { renderDocument } from "../apps/parser/src/document/render/render-document.ts";

const [path = "", outputFormat = "markdown"] = process.argv.slice(2);
const bytes = await readFile(path);
const detection = detectFormat(createProbe(bytes), { fileName: basename(path) }, Object.values(formatModules));
if (detection === undefined) throw new Error("unknown type");
const startedAt = process.cpuUsage();
const { document, warnings } = await readSource(
  { bytes, fileName: basename(path), format: detection.format.name },
  { pages: [], headersFooters: "drop", images: "placeholder" },
  new Budget(defaultLimits),
);
const content = renderDocument(normaliseDocument(document), {
  outputFormat: outputFormat as "markdown",
  tables: "auto",
  images: "placeholder",
  pageMarkers: false,
  frontMatter: false,
  footnotes: "keep",
  formulas: "latex",
  links: "keep",
});
const { user, system } = process.cpuUsage(startedAt);
process.stdout.write(content);
process.stderr.write(
  `${[`[${detection.format.name}] ${Math.round((user + system) / 1000)} CPU ms`, ...warnings].join("\n")}\n`,
);
