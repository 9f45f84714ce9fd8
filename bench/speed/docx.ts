/**
 * CPU time of reading a long Word document and writing it as Markdown, beside peers, in one run: each in processes of its own,
 * medians over rounds.
 *
 *     node bench/speed/docx.ts [--peers FOLDER] [--rounds N] [--report FILE]
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeDocx } from "../../packages/testkit/src/make-ooxml.ts";

const root = join(import.meta.dirname, "../..");
const { values: options } = parseArgs({
  options: {
    peers: { type: "string", default: join(root, ".work/peers") },
    rounds: { type: "string", default: "5" },
    report: { type: "string" },
    sample: { type: "string" },
  },
});

const folder = mkdtempSync(join(tmpdir(), "docx-speed-"));
const path = options.sample ?? join(folder, "long.docx");
if (options.sample === undefined) writeFileSync(path, makeLongDocument());
const tagCount = countTags();

interface Contender {
  readonly name: string;
  readonly script: string;
  readonly folder: string;
}

const src = `${root}/apps/parser/src`;
const contenders: Contender[] = [
  {
    name: "docparser",
    folder: root,
    script: `const [{ readSource }, { Budget }, { defaultLimits }, { renderDocument }] = await Promise.all(["reading/read-source", "limits/budget", "limits/default-limits", "document/render/render-document"].map((name) => import("${src}/" + name + ".ts")));
const convert = async (bytes) => {
  const { document } = await readSource({ bytes, fileName: "a.docx", format: "docx" }, { pages: [], headersFooters: "drop", images: "placeholder" }, new Budget(defaultLimits));
  return renderDocument(document, { outputFormat: "markdown", tables: "auto", images: "placeholder", pageMarkers: false, frontMatter: false, footnotes: "keep", formulas: "latex", links: "keep" });
};`,
  },
  {
    name: "mammoth 1.13.0 (to HTML)",
    folder: options.peers,
    script: `const mammoth = (await import("mammoth")).default;
const convert = async (buffer) => (await mammoth.convertToHtml({ buffer })).value;`,
  },
  {
    name: "officeparser 8.1.1",
    folder: options.peers,
    script: `const { parseOffice } = await import("officeparser");
const convert = async (bytes) => (await (await parseOffice(bytes, { fileType: "docx" })).to("md")).value;`,
  },
].filter(
  ({ name, folder: place }) => place === root || existsSync(join(place, "node_modules", name.split(" ")[0] ?? "")),
);

const results = new Map(contenders.map(({ name }) => [name, [] as Measure[]]));
for (let round = 0; round < Number(options.rounds); round++) {
  for (const contender of contenders) results.get(contender.name)?.push(measure(contender));
}
rmSync(folder, { recursive: true });
const report = writeReport();
console.log(report);
if (options.report !== undefined) writeFileSync(options.report, report);

interface Measure {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly characters: number;
  readonly peakMib: number;
}

// The first conversion of a process, and the median of its fifth to ninth: workers read many files.
function measure({ name, script, folder: cwd }: Contender): Measure {
  const code = `${script}
const bytes = (await import("node:fs")).readFileSync(${JSON.stringify(path)});
const times = []; let characters = 0;
for (let i = 0; i < 9; i++) {
  const from = process.cpuUsage();
  characters = (await convert(bytes)).length;
  const { user, system } = process.cpuUsage(from);
  times.push((user + system) / 1000);
}
const coldMs = times[0]; const rest = times.slice(4);
console.log("RESULT " + JSON.stringify({ coldMs, warmMs: rest.sort((a, b) => a - b)[2], characters, peakMib: process.resourceUsage().maxRSS / 1024 }));
process.exit(0);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const line = stdout.split("\n").find((one) => one.startsWith("RESULT "));
  if (line === undefined) throw new Error(`${name} failed: ${stderr.slice(-2000)}`);
  return JSON.parse(line.slice(7)) as Measure;
}

function writeReport(): string {
  const ours = medianOf("docparser", "warmMs");
  return [
    "# A long Word document: CPU time of reading it",
    "",
    `One document of about 870 pages, ${tagCount} tags; CPU ms of the process (user and system), medians of ${options.rounds} processes each.`,
    "Cold: the first conversion in a process. Warm: the median of the fifth to the ninth. Written by `node bench/speed/docx.ts`.",
    "",
    "| Reader | cold ms | warm ms | times ours | peak MiB | characters |",
    "| --- | --- | --- | --- | --- | --- |",
    ...contenders.map(({ name }) => {
      const warm = medianOf(name, "warmMs");
      const cells = [medianOf(name, "coldMs"), warm].map((value) => value.toFixed(0));
      return `| ${name} | ${cells.join(" | ")} | ${(warm / ours).toFixed(1)} | ${medianOf(name, "peakMib").toFixed(0)} | ${medianOf(name, "characters")} |`;
    }),
    "",
  ].join("\n");
}

function medianOf(name: string, key: keyof Measure): number {
  const values = (results.get(name) ?? []).map((one) => one[key]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}

function countTags(): number {
  return options.sample === undefined ? longBody().split("<").length - 1 : readFileSync(path).length;
}

// Chapters of headings, prose with formats, lists and a table; a fixed sequence, the same on every machine.
function makeLongDocument(): Buffer {
  const heading = (level: number): string =>
    `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;
  const numbering =
    `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl>` +
    `<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%2."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
  return makeDocx({ body: longBody(), parts: { styles: [1, 2, 3].map(heading).join(""), numbering } });
}

function longBody(): string {
  const words =
    "harbour tide vessel ledger cargo signal anchor voyage market river light keeper season account north".split(" ");
  let seed = 1;
  const word = (): string => {
    seed = (seed * 48_271) % 2_147_483_647;
    return words[seed % words.length] ?? "";
  };
  const text = (count: number): string => Array.from({ length: count }, word).join(" ");
  const run = (count: number, look = ""): string =>
    `<w:r w:rsidR="00A1B2C3">${look === "" ? "" : `<w:rPr>${look}</w:rPr>`}<w:t xml:space="preserve">${text(count)} </w:t></w:r>`;
  const paragraph = (content: string, properties = ""): string =>
    `<w:p w:rsidR="00A1B2C3" w:rsidRDefault="00A1B2C3"><w:pPr>${properties}<w:spacing w:after="120"/></w:pPr>${content}</w:p>`;
  const styled = (level: number): string => paragraph(run(5), `<w:pStyle w:val="Heading${level}"/>`);
  const prose = (): string => paragraph(run(40) + run(3, "<w:b/>") + run(30) + run(4, "<w:i/>") + run(25));
  const item = (level: number): string =>
    paragraph(run(12), `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`);
  const cell = (): string => `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${paragraph(run(3))}</w:tc>`;
  const table = (): string => `<w:tbl>${`<w:tr>${cell()}${cell()}${cell()}${cell()}</w:tr>`.repeat(6)}</w:tbl>`;
  const section = (): string =>
    styled(2) +
    prose().concat(prose(), prose(), prose()) +
    item(0) +
    item(1) +
    item(1) +
    item(0) +
    table() +
    prose() +
    prose();
  const chapter = (): string => styled(1) + section() + section() + styled(3) + prose();
  return Array.from({ length: 100 }, chapter).join("");
}
