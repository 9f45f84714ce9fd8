/**
 * Measures OCR on pages whose text is known: rasterises the first pages of articles at 200 dpi, reads the pictures through the whole
 * parser and with the bare tesseract command, and compares both with the text layer: letters by the longest common subsequence
 * (normalised indel), work by CPU time. A text layer has no order of its own: that of pdftotext, that of the content stream
 * (`-raw`) and that of our own reader are compared, and the nearest counts, for both. Also pages turned by 90, 180 and 270 degrees, and Chinese and mixed pages made from known text.
 *
 *     node bench/quality/ocr.ts [--pages N] [--every N] [--only articles|turned|chinese]
 *
 * Needs pdftoppm and pdftotext (poppler-utils), tesseract with eng and chi_sim, and soffice for the Chinese pages.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { bareText, indelSimilarity, spacedText } from "./ocr/similarity.ts";
import { mixedPages } from "./ocr/mixed-pages.ts";

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "2" },
    every: { type: "string", default: "1" },
    only: { type: "string", default: "articles,turned,chinese" },
  },
});
const corpus = join(import.meta.dirname, "../../../shared/corpus/pmc");
const parts = values.only.split(",");
const folder = mkdtempSync(join(tmpdir(), "ocr-bench-"));
const docparser = join(import.meta.dirname, "../../apps/parser/src/main.ts");
const counter = join(import.meta.dirname, "ocr/count-cpu.py");

try {
  if (!existsSync(corpus)) console.log(`No articles measured: ${corpus} is not there.`);
  else if (parts.includes("articles")) measureArticles(0);
  if (existsSync(corpus) && parts.includes("turned")) for (const degrees of [90, 180, 270]) measureArticles(degrees);
  if (parts.includes("chinese")) measureMixed();
} finally {
  rmSync(folder, { recursive: true });
}

interface PagePicture {
  readonly name: string;
  readonly path: string;
  /** What it says, in each order that it may be read in. */
  readonly truths: readonly string[];
}

function measureArticles(degrees: number): void {
  const step = Number(values.every) * (degrees === 0 ? 1 : 5);
  const pdfs = readdirSync(corpus).filter((file) => file.endsWith(".pdf"));
  const pages = pdfs.filter((_, index) => index % step === 0).flatMap((file) => rasterise(join(corpus, file), degrees));
  const title = degrees === 0 ? "articles" : `articles turned by ${degrees}`;
  report({ title, pages, languages: "eng" }, degrees === 0);
}

function rasterise(pdf: string, degrees: number): PagePicture[] {
  const stem = join(folder, `${basename(pdf, ".pdf")}-${degrees}`);
  execFileSync("pdftoppm", ["-r", "200", "-gray", "-f", "1", "-l", values.pages, pdf, stem]);
  return readdirSync(folder)
    .filter((file) => file.startsWith(`${basename(stem)}-`) && file.endsWith(".pgm"))
    .sort()
    .map((file, index) => {
      const number = String(index + 1);
      const truths = [...readLayer(pdf, number), readOwnLayer(pdf, number)];
      const path = join(folder, file.replace(".pgm", ".bmp"));
      writeFileSync(path, pgmToBmp(readFileSync(join(folder, file)), degrees));
      rmSync(join(folder, file));
      return { name: basename(path), path, truths };
    });
}

function readLayer(pdf: string, number: string): string[] {
  return [[], ["-raw"]].map((order) => {
    const args = [...order, "-f", number, "-l", number, pdf, "-"];
    return execFileSync("pdftotext", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  });
}

function readOwnLayer(pdf: string, number: string): string {
  return readOurs([{ name: "", path: pdf, truths: [] }], [`pages=${number}`, "ocr=never"]).texts[0] ?? "";
}

function measureMixed(): void {
  for (const { name, languages, text, font } of mixedPages) {
    const source = join(folder, `${name}.fodt`);
    writeFileSync(source, toFlatDocument(text, font));
    execFileSync("soffice", ["--headless", "--convert-to", "pdf", "--outdir", folder, source], { stdio: "ignore" });
    const [page] = rasterise(source.replace(".fodt", ".pdf"), 0);
    if (page !== undefined) report({ title: name, pages: [{ ...page, truths: [text] }], languages }, true);
  }
}

interface Measured {
  readonly title: string;
  readonly pages: readonly PagePicture[];
  readonly languages: string;
}

function report({ title, pages, languages }: Measured, hasBare: boolean): void {
  const ours = readOurs(pages, [`ocr_languages=${languages}`]);
  console.log(`\n${title}: ${pages.length} pages`);
  console.log(`  ours              ${summary(pages, ours)}`);
  if (hasBare) {
    const bare = readBare(pages, languages);
    console.log(`  tesseract command ${summary(pages, bare)}`);
    console.log(`  CPU, ours to the command: ${(ours.cpuMs / bare.cpuMs).toFixed(3)}`);
  }
  for (const { name, similarity } of worst(pages, ours.texts)) console.log(`  ${similarity.toFixed(4)} ${name}`);
}

function summary(pages: readonly PagePicture[], { texts, cpuMs }: Run): string {
  const mean = (measured: readonly number[]) =>
    (measured.reduce((sum, one) => sum + one, 0) / measured.length).toFixed(4);
  const nearest = (measure: (truth: string, text: string) => number) =>
    mean(pages.map(({ truths }, index) => Math.max(...truths.map((truth) => measure(truth, texts[index] ?? "")))));
  const letters = nearest((truth, text) => indelSimilarity(bareText(truth), bareText(text)));
  const characters = nearest((truth, text) => indelSimilarity(spacedText(truth), spacedText(text)));
  const words = nearest(sharedWords);
  const cpu = `${(cpuMs / 1000 / pages.length).toFixed(2)} CPU s a page`;
  return `letters ${letters}  with spaces ${characters}  words in any order ${words}  ${cpu}`;
}

/** Words that both have, each as often as in the one that has it less often, by letters (Dice). */
function sharedWords(truth: string, text: string): number {
  const count = (words: string) => {
    const counts = new Map<string, number>();
    for (const word of words.match(/[\p{L}\p{N}]+/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  };
  const [a, b] = [count(spacedText(truth)), count(spacedText(text))];
  const total = (counts: Map<string, number>) =>
    [...counts].reduce((sum, [word, times]) => sum + word.length * times, 0);
  const shared = [...a].reduce((sum, [word, times]) => sum + word.length * Math.min(times, b.get(word) ?? 0), 0);
  return total(a) + total(b) === 0 ? 1 : (2 * shared) / (total(a) + total(b));
}

function worst(pages: readonly PagePicture[], texts: readonly string[]) {
  return pages
    .map(({ name, truths }, index) => {
      const text = bareText(texts[index] ?? "");
      return { name, similarity: Math.max(...truths.map((truth) => indelSimilarity(bareText(truth), text))) };
    })
    .sort((a, b) => a.similarity - b.similarity)
    .slice(0, 5);
}

interface Run {
  readonly texts: readonly string[];
  readonly cpuMs: number;
}

// All pages in one process, as a service would; its start is part of the bill.
function readOurs(pages: readonly PagePicture[], overrides: readonly string[]): Run {
  const settings = [...overrides, "headers_footers=keep"].flatMap((setting) => ["--set", setting]);
  const args = [docparser, "parse", "--json", "--format", "text", ...settings, ...pages.map(({ path }) => path)];
  const { output, cpuMs } = runCounted([process.execPath, ...args]);
  const answers = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { success: boolean; content?: string; message: string });
  for (const { success, message } of answers) if (!success) console.log(`  ${message}`);
  return { texts: answers.map(({ content }) => content ?? ""), cpuMs };
}

function readBare(pages: readonly PagePicture[], languages: string): Run {
  const runs = pages.map(({ path }) => runCounted(["tesseract", path, "-", "-l", languages, "--dpi", "200"]));
  return { texts: runs.map(({ output }) => output), cpuMs: runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) };
}

function runCounted(command: readonly string[]): { readonly output: string; readonly cpuMs: number } {
  const account = join(folder, "cpu-seconds");
  const env = { ...process.env, OMP_THREAD_LIMIT: "1", PARSER_WORKERS: "1", PARSER_FILE_ROOTS: folder };
  // A page that cannot be read ends in a status of 1, and its answer says why.
  const { stdout } = spawnSync("python3", [counter, account, ...command], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env,
  });
  return { output: stdout, cpuMs: Number(readFileSync(account, "utf8")) * 1000 };
}

/** A bitmap of 8 bits at 200 dpi, which both readers take, turned clockwise. */
function pgmToBmp(pgm: Buffer, degrees: number): Buffer {
  const [, width = 0, height = 0] =
    /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(pgm.toString("latin1", 0, 40))?.map(Number) ?? [];
  const pixels = pgm.subarray(pgm.length - width * height);
  const isTurned = degrees % 180 !== 0;
  const [columns, rows] = isTurned ? [height, width] : [width, height];
  const stride = Math.ceil(columns / 4) * 4;
  const header = Buffer.alloc(1078);
  header.write("BM", 0, "latin1");
  header.writeUInt32LE(1078 + stride * rows, 2);
  header.writeUInt32LE(1078, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(columns, 18);
  header.writeInt32LE(rows, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(8, 28);
  header.writeInt32LE(7874, 38);
  header.writeInt32LE(7874, 42);
  for (let shade = 0; shade < 256; shade++) header.fill(shade, 54 + shade * 4, 57 + shade * 4);
  const body = Buffer.alloc(stride * rows, 255);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const [fromX, fromY] =
        degrees === 0
          ? [x, y]
          : degrees === 90
            ? [y, height - 1 - x]
            : degrees === 180
              ? [width - 1 - x, height - 1 - y]
              : [width - 1 - y, x];
      body[(rows - 1 - y) * stride + x] = pixels[fromY * width + fromX] as number;
    }
  }
  return Buffer.concat([header, body]);
}

function toFlatDocument(text: string, font: string): string {
  const paragraphs = text.split("\n").map((line) => `<text:p text:style-name="P">${line}</text:p>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:automatic-styles><style:style style:name="P" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.3cm"/><style:text-properties fo:font-size="12pt" style:font-size-asian="12pt" fo:font-family="'${font}'" style:font-family-asian="'${font}'"/></style:style></office:automatic-styles>
<office:body><office:text>${paragraphs.join("")}</office:text></office:body></office:document>`;
}
