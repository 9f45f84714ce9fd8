/**
 * Compares what our readers make of old Office files with what they make of the same files converted by LibreOffice: words,
 * headings, cells of tables, items of lists, and the time it takes.
 *
 *     node bench/quality/legacy.ts doc [--corpus FOLDER] [--work FOLDER] [--report FILE] [--files]
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createProbe } from "../../apps/parser/src/detection/create-probe.ts";
import { detectFormat } from "../../apps/parser/src/detection/detect-format.ts";
import type { Document } from "../../apps/parser/src/document/document.ts";
import { normaliseDocument } from "../../apps/parser/src/document/normalise-document.ts";
import * as formatModules from "../../apps/parser/src/formats.ts";
import { Budget } from "../../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";
import { readSource } from "../../apps/parser/src/reading/read-source.ts";
import { type Features, featuresOf, noFeatures } from "./legacy-features.ts";
import { type FileScore, writeLegacyReport } from "./legacy-report.ts";
import { compareTokens } from "./silent-loss-tokens.ts";

const root = join(import.meta.dirname, "../..");
const targets: Readonly<Record<string, string>> = { doc: "docx", ppt: "pptx", rtf: "docx", xls: "xlsx" };
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: "string", default: join(root, "../shared/corpus") },
    work: { type: "string", default: join(tmpdir(), "attune-legacy") },
    report: { type: "string" },
    files: { type: "boolean", default: false },
  },
});
const format = positionals[0] ?? "doc";
const target = targets[format];
if (target === undefined) throw new Error(`Say one of ${Object.keys(targets).join(", ")}.`);

const paths = findFiles();
if (paths.length === 0) {
  console.error(`Nothing measured: there are no ${format} files in ${options.corpus}.`);
  process.exit(2);
}
const converted = convertAll(paths, target);
// The first document pays for what is loaded and compiled once.
for (const path of paths.slice(0, 3)) await readOurs(path, format);
const scores: FileScore[] = [];
for (const [index, path] of paths.entries()) scores.push(await scoreOf(path, converted[index]));
const report = writeLegacyReport(format, scores, options.files);
console.log(report);
if (options.report !== undefined) writeFileSync(options.report, report);

function findFiles(): string[] {
  const all = globSync(join(options.corpus, "**/*"), { withFileTypes: true }).filter((entry) => entry.isFile());
  const found = all.map((entry) => join(entry.parentPath, entry.name)).filter((path) => formatOf(path) === format);
  return found.toSorted();
}

function formatOf(path: string): string | undefined {
  const formats = Object.values(formatModules);
  return detectFormat(createProbe(readFileSync(path)), { fileName: path }, formats)?.format.name;
}

// Conversions are kept from run to run; files get names of their own, as those of the corpus are not all different.
function convertAll(files: readonly string[], extension: string): (string | undefined)[] {
  const folder = join(options.work, format);
  mkdirSync(folder, { recursive: true });
  const inputs = files.map((file, index) => ({ file, link: join(folder, `${index}.${format}`) }));
  const marker = join(folder, "list.txt");
  if (!existsSync(marker) || readFileSync(marker, "utf8") !== files.join("\n")) {
    for (const { file, link } of inputs) if (!existsSync(link)) symlinkSync(file, link);
    const profile = `-env:UserInstallation=${pathToFileURL(join(options.work, "profile")).href}`;
    const links = inputs.map(({ link }) => link);
    execFileSync("soffice", [profile, "--headless", "--convert-to", extension, "--outdir", folder, ...links], {
      stdio: "ignore",
      timeout: 1_200_000,
    });
    writeFileSync(marker, files.join("\n"));
  }
  return inputs.map(({ link }) => {
    const output = `${link.slice(0, -format.length)}${extension}`;
    return existsSync(output) ? output : undefined;
  });
}

async function scoreOf(path: string, conversion: string | undefined): Promise<FileScore> {
  const startedAt = process.cpuUsage();
  const ours = await readOurs(path, format);
  const { user, system } = process.cpuUsage(startedAt);
  const witness = conversion === undefined ? "" : await readOurs(conversion, target ?? format);
  return {
    file: path.slice(options.corpus.length + 1),
    failure: typeof ours === "string" ? ours : undefined,
    cpuMs: (user + system) / 1000,
    ...compare(featuresOfReading(ours), featuresOfReading(witness)),
  };
}

function featuresOfReading(reading: Document | string): Features | undefined {
  return typeof reading === "string" ? undefined : featuresOf(reading);
}

type Comparison = Omit<FileScore, "file" | "failure" | "cpuMs">;

function compare(ours: Features | undefined, witness: Features | undefined): Comparison {
  const sizes = { ours: ours && sizeOf(ours), witness: witness && sizeOf(witness) };
  if (witness === undefined) return sizes;
  const own = ours ?? noFeatures;
  return {
    ...sizes,
    words: compareTokens(witness.words, own.words),
    extra: compareTokens(own.words, witness.words),
    headings: compareTokens(witness.headings, own.headings),
    cells: compareTokens(witness.cells, own.cells),
    items: compareTokens(witness.items, own.items),
  };
}

function sizeOf({ words }: Features): number {
  return [...words.values()].reduce((total, count) => total + count, 0);
}

async function readOurs(path: string, name: string): Promise<Document | string> {
  const input = { bytes: readFileSync(path), fileName: path, format: name };
  const read = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  try {
    return normaliseDocument((await readSource(input, read, new Budget(defaultLimits))).document);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
