/**
 * `node bench/quality/silent-loss.ts [PATH PREFIX]`: looks for text that our readers lose without a word. The words of each
 * office, web, mail, book and text file of the corpus by independent witnesses (Python over the raw file, LibreOffice)
 * against those of our plain text. Prints shares by format, and each file under the threshold whose loss no warning names;
 * writes .work/silent-loss.json. The corpus is looked for in CORPUS_DIR, else beside the repository; without it the run
 * says so and does nothing.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { createProbe } from "../../apps/parser/src/detection/create-probe.ts";
import { detectFormat } from "../../apps/parser/src/detection/detect-format.ts";
import { normaliseDocument } from "../../apps/parser/src/document/normalise-document.ts";
import { renderDocument } from "../../apps/parser/src/document/render/render-document.ts";
import * as formatModules from "../../apps/parser/src/formats.ts";
import { Budget } from "../../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";
import { readSource } from "../../apps/parser/src/reading/read-source.ts";
import { compareTokens, countTokens, type Overlap } from "./silent-loss-tokens.ts";
import { askLibreOffice, askPython, type Witness } from "./silent-loss-witnesses.ts";

const root = join(import.meta.dirname, "../..");
const corpus = resolve(process.env["CORPUS_DIR"] ?? join(root, "../shared/corpus"));
const only = process.argv[2] ?? "";
const threshold = 0.97;
/** Pictures and PDF have benchmarks of their own; archives are what is in them. */
const leftAside: ReadonlySet<string> = new Set(["pdf", "zip", "tar", "gz", "ooxml-encrypted"]);
/** Files made to break readers; they would keep LibreOffice busy without telling anything of text. */
const fuzzed = /clusterfuzz|crash-/;

interface Found {
  readonly path: string;
  readonly format: string;
}

interface Comparison extends Overlap {
  readonly file: string;
  readonly format: string;
  readonly witness: string;
  readonly share: number;
  readonly warnings: readonly string[];
}

if (existsSync(corpus)) await run();
else console.log(`There is no corpus at ${corpus}: nothing is compared.`);

async function run(): Promise<void> {
  const files = findFiles();
  const cache = join(root, ".work/silent-loss");
  const office = files.map(({ path }) => path).filter((path) => !fuzzed.test(path));
  const witnesses = [askPython(files), askLibreOffice(office, { corpus, cache })];
  const comparisons: Comparison[] = [];
  for (const file of files) comparisons.push(...(await compare(file, witnesses)));
  mkdirSync(join(root, ".work"), { recursive: true });
  writeFileSync(join(root, ".work/silent-loss.json"), JSON.stringify(comparisons, null, 1));
  console.log(renderShares(comparisons));
  console.log(renderLosses(comparisons));
}

function findFiles(): Found[] {
  return readdirSync(corpus, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => relative(corpus, path).startsWith(only))
    .sort()
    .flatMap((path) => {
      const detection = detectFormat(
        createProbe(readFileSync(path)),
        { fileName: basename(path) },
        Object.values(formatModules),
      );
      const isRead = detection?.format.load !== undefined && !leftAside.has(detection.format.name);
      return isRead ? [{ path, format: detection.format.name }] : [];
    });
}

async function compare({ path, format }: Found, witnesses: readonly Witness[]): Promise<Comparison[]> {
  const told = witnesses.flatMap((witness) => {
    const text = witness.textOf(path);
    return text === undefined ? [] : [{ witness: witness.name, counts: countTokens(text) }];
  });
  if (told.length === 0) return [];
  const read = await readOurs({ path, format });
  if (read === undefined) return [];
  const ours = countTokens(read.text);
  return told.map(({ witness, counts }) => {
    const overlap = compareTokens(counts, ours);
    const share = overlap.total === 0 ? 1 : overlap.found / overlap.total;
    return { file: relative(corpus, path), format, witness, share, warnings: read.warnings, ...overlap };
  });
}

// A file that is refused is no silent loss.
async function readOurs({ path, format }: Found): Promise<{ text: string; warnings: readonly string[] } | undefined> {
  const input = { bytes: readFileSync(path), fileName: basename(path), format };
  const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  const result = await readSource(input, options, new Budget(defaultLimits)).catch(() => undefined);
  if (result === undefined) return undefined;
  const text = renderDocument(normaliseDocument(result.document), {
    outputFormat: "text",
    tables: "auto",
    images: "placeholder",
    pageMarkers: false,
    frontMatter: false,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  });
  return { text, warnings: result.warnings };
}

function isTold({ warnings }: Comparison): boolean {
  return warnings.some((sentence) => /left out|not be read|not read|could not|missing|damaged|cut/i.test(sentence));
}

function renderShares(comparisons: readonly Comparison[]): string {
  const groups = Map.groupBy(comparisons, ({ format, witness }) => `${format} | ${witness}`);
  const inOrder = [...groups].sort(([one], [other]) => one.localeCompare(other));
  const rows = inOrder.map(([name, members]) => {
    const total = members.reduce((sum, one) => sum + one.total, 0);
    const found = members.reduce((sum, one) => sum + one.found, 0);
    const low = members.filter(({ share }) => share < threshold);
    const share = total === 0 ? "–" : `${((100 * found) / total).toFixed(2)} %`;
    return `| ${name} | ${members.length} | ${total} | ${share} | ${low.length} | ${low.filter((one) => !isTold(one)).length} |`;
  });
  const head = `| Format | Witness | Files | Words | Share we have | Files under ${threshold} | of them untold |`;
  return [head, "| --- | --- | --- | --- | --- | --- | --- |", ...rows].join("\n");
}

function renderLosses(comparisons: readonly Comparison[]): string {
  const untold = comparisons.filter((one) => one.share < threshold && !isTold(one));
  return untold
    .map(({ file, witness, share, found, total, missing }) => {
      return `- ${file} (${witness}): ${(100 * share).toFixed(1)} %, ${total - found} of ${total}: ${missing.join(" ")}`;
    })
    .join("\n");
}
