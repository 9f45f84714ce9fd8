/**
 * Scores what is made of web pages and books against Docling's `.groundtruth.md` and pandoc's `.native` beside them. Peers read
 * the same files; everyone's Markdown goes through the same reader into the same sequence of blocks.
 *
 *     node bench/quality/html-peers.ts [--corpus FOLDER] [--report FILE] [--files]
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { createProbe } from "../../apps/parser/src/detection/create-probe.ts";
import { detectFormat } from "../../apps/parser/src/detection/detect-format.ts";
import type { Document } from "../../apps/parser/src/document/document.ts";
import { renderDocument } from "../../apps/parser/src/document/render/render-document.ts";
import * as formatModules from "../../apps/parser/src/formats.ts";
import { Budget } from "../../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";
import { readSource } from "../../apps/parser/src/reading/read-source.ts";
import { type FlatDocument, flattenNative } from "./pandoc-native-blocks.ts";
import { flattenDocument } from "./pandoc-native-document.ts";
import { parsePandocNative } from "./pandoc-native-parse.ts";
import { officePeers } from "./pandoc-native-peers.ts";
import { type Score, writeReport } from "./pandoc-native-report.ts";
import { blockSimilarity, tableSimilarity } from "./pandoc-native-similarity.ts";

const { values: options } = parseArgs({
  options: {
    corpus: { type: "string", default: join(import.meta.dirname, "../../../shared/corpus") },
    files: { type: "boolean", default: false },
    report: { type: "string" },
  },
});

interface Case {
  readonly set: string;
  readonly path: string;
  readonly truth: FlatDocument;
}

const cases = [...(await doclingCases("html")), ...(await doclingCases("epub")), ...pandocCases()];
if (cases.length === 0) {
  console.error(`Nothing measured: there are no pages with truth in ${options.corpus}.`);
  process.exit(2);
}
const paths = cases.map(({ path }) => path);
const scores: Score[] = [];
for (const one of cases) addScore("docparser", one, await readMarkdown(await convert(one.path)));
for (const peer of officePeers(["officeparser", "turndown", "markitdown", "unstructured", "docling"])) {
  const texts = await peer.convert(paths);
  for (const one of cases) {
    const text = texts.get(one.path);
    addScore(peer.name, one, text === undefined ? undefined : await readMarkdown(text));
  }
}
const report = writeReport(scores, options.files)
  .replace(/^# .*$/m, "# Web pages and e-books against true structure, beside peers")
  .replace(/^Written by .*$/m, "Written by `node bench/quality/html-peers.ts --report docs/benchmarks/web.md`.");
console.log(report);
if (options.report !== undefined) writeFileSync(options.report, report);

function addScore(reader: string, { set, path, truth }: Case, document: Document | undefined): void {
  const found = document && flattenDocument(document);
  const blocks = found === undefined ? undefined : blockSimilarity(truth.blocks, found.blocks);
  const cells = tableSimilarity(truth.tables, found?.tables ?? []);
  scores.push({ set, file: basename(path), reader, blocks, cells, words: undefined });
}

async function doclingCases(extension: string): Promise<Case[]> {
  const found: Case[] = [];
  for (const path of globSync(join(options.corpus, `docling/${extension}/*.${extension}`)).toSorted()) {
    const truthPath = `${path}.groundtruth.md`;
    if (!existsSync(truthPath)) continue;
    const truth = flattenDocument(await readMarkdown(readFileSync(truthPath, "utf8")));
    found.push({ set: `docling ${extension}`, path, truth });
  }
  return found;
}

function pandocCases(): Case[] {
  return globSync(join(options.corpus, "pandoc/epub/*.epub"))
    .toSorted()
    .flatMap((path) => {
      const native = path.replace(/epub$/, "native");
      if (!existsSync(native)) return [];
      return [{ set: "pandoc epub", path, truth: flattenNative(parsePandocNative(readFileSync(native, "utf8"))) }];
    });
}

async function convert(path: string): Promise<string> {
  const bytes = readFileSync(path);
  const formats = Object.values(formatModules);
  const format = detectFormat(createProbe(bytes), { fileName: basename(path) }, formats)?.format.name ?? "";
  return renderDocument(await read(bytes, format), {
    outputFormat: "markdown",
    tables: "auto",
    images: "placeholder",
    pageMarkers: false,
    frontMatter: false,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  });
}

async function readMarkdown(text: string): Promise<Document> {
  return read(Buffer.from(text), "markdown");
}

async function read(bytes: Uint8Array, format: string): Promise<Document> {
  const overrides = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  return (await readSource({ bytes, fileName: "", format }, overrides, new Budget(defaultLimits))).document;
}
