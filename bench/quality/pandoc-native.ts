/**
 * Scores what is made of office files against true structure: pandoc's `.native` beside its test documents, and Docling's
 * `.groundtruth.md` beside its own. Peers read the same files; the Markdown or HTML of everyone goes through the same readers
 * into the same sequence of blocks.
 *
 *     node bench/quality/pandoc-native.ts [--corpus FOLDER] [--report FILE] [--files]
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
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
import { blockSimilarity, tableSimilarity, wordSimilarity } from "./pandoc-native-similarity.ts";

const root = join(import.meta.dirname, "../..");
const { values: options } = parseArgs({
  options: {
    corpus: { type: "string", default: join(root, "../shared/corpus") },
    report: { type: "string" },
    files: { type: "boolean", default: false },
  },
});

interface Case {
  readonly set: string;
  readonly path: string;
  readonly truth: FlatDocument;
  /** The true document as our Markdown, where the truth is Markdown. */
  readonly markdown?: string;
}

const cases = [...(await pandocCases()), ...(await doclingCases())];
if (cases.length === 0) {
  console.error(`Nothing measured: there are no documents with truth in ${options.corpus}.`);
  process.exit(2);
}

const scores: Score[] = [];
for (const one of cases) {
  const document = await readOurs(one.path);
  addScore("docparser", one, document && (await readText(toMarkdown(document, "auto"), "markdown")));
  addScore("docparser (model)", one, document);
}
const paths = cases.map(({ path }) => path);
for (const peer of officePeers(["mammoth", "officeparser", "markitdown", "unstructured", "docling"])) {
  const texts = await peer.convert(paths);
  for (const one of cases) {
    const text = texts.get(one.path);
    addScore(peer.name, one, text === undefined ? undefined : await readText(text, peer.format));
  }
}
const report = writeReport(scores, options.files);
console.log(report);
if (options.report !== undefined) writeFileSync(options.report, report);

function addScore(reader: string, { set, path, truth, markdown }: Case, document: Document | undefined): void {
  const found = document && flattenDocument(document);
  const blocks = found === undefined ? undefined : blockSimilarity(truth.blocks, found.blocks);
  const cells = tableSimilarity(truth.tables, found?.tables ?? []);
  const hasText = markdown !== undefined && document !== undefined;
  const words = hasText
    ? wordSimilarity(markdown, toMarkdown(document, "markdown").replaceAll(/\s+/g, " "))
    : undefined;
  scores.push({ set, file: basename(path), reader, blocks, cells, words });
}

async function pandocCases(): Promise<Case[]> {
  const found = globSync(join(options.corpus, "pandoc/*/*.{docx,odt,pptx}")).toSorted();
  return found.flatMap((path) => {
    const stem = path.slice(0, -extname(path).length);
    const native = ["", "_accept", "_minus"]
      .map((suffix) => `${stem}${suffix}.native`)
      .find((file) => existsSync(file));
    if (native === undefined) return [];
    const truth = flattenNative(parsePandocNative(readFileSync(native, "utf8")));
    return [{ set: `pandoc ${extname(path).slice(1)}`, path, truth }];
  });
}

async function doclingCases(): Promise<Case[]> {
  const found: Case[] = [];
  for (const path of globSync(
    join(options.corpus, "{docling,office}/*/*.{docx,pptx,xlsx,odt,ods,odp,csv}"),
  ).toSorted()) {
    const truthPath = `${path}.groundtruth.md`;
    if (!existsSync(truthPath)) continue;
    const document = await readText(readFileSync(truthPath, "utf8"), "markdown");
    const markdown = toMarkdown(document, "markdown").replaceAll(/\s+/g, " ");
    found.push({ set: `docling ${extname(path).slice(1)}`, path, truth: flattenDocument(document), markdown });
  }
  return found;
}

async function readOurs(path: string): Promise<Document | undefined> {
  const bytes = readFileSync(path);
  const format = detectFormat(createProbe(bytes), { fileName: basename(path) }, Object.values(formatModules))?.format
    .name;
  try {
    return await read(bytes, basename(path), format ?? "");
  } catch (error) {
    console.error(`${basename(path)}: ${String(error)}`);
    return undefined;
  }
}

function toMarkdown(document: Document, tables: "auto" | "markdown"): string {
  return renderDocument(document, {
    outputFormat: "markdown",
    tables,
    images: "none",
    pageMarkers: false,
    frontMatter: false,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  });
}

async function readText(text: string, format: "html" | "markdown"): Promise<Document> {
  return read(Buffer.from(text), `document.${format === "html" ? "html" : "md"}`, format);
}

async function read(bytes: Uint8Array, fileName: string, format: string): Promise<Document> {
  const overrides = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  return (await readSource({ bytes, fileName, format }, overrides, new Budget(defaultLimits))).document;
}
