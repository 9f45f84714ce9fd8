/**
 * Reads and renders a workbook of 50,000 × 10 cells with our reader and with SheetJS, each in processes of its own, one after
 * the other in turns, and prints the medians of their CPU time and the ratio.
 *
 *   node bench/speed/xlsx.ts [ROUNDS]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeZip } from "@attune/testkit/make-zip.ts";

const rowCount = 50_000;
const columnCount = 10;

const [mode = "5", path = ""] = process.argv.slice(2);
if (mode === "own" || mode === "sheetjs") await measure(mode, path);
else compare(Number(mode));

function compare(rounds: number): void {
  const folder = mkdtempSync(join(tmpdir(), "xlsx-bench-"));
  const file = join(folder, "cells.xlsx");
  try {
    const bytes = buildWorkbook();
    writeFileSync(file, bytes);
    console.log(`${rowCount} × ${columnCount} cells, ${(bytes.length / 1e6).toFixed(1)} MB, ${rounds} rounds`);
    const own: Times[] = [];
    const sheetjs: Times[] = [];
    for (let round = 0; round < rounds; round++) {
      own.push(runOnce("own", file));
      sheetjs.push(runOnce("sheetjs", file));
    }
    report("first file of a process", [own, sheetjs], "coldMs");
    report("third file of a process", [own, sheetjs], "warmMs");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** CPU milliseconds of the first and of the third reading in one process: workers read many files. */
interface Times {
  readonly coldMs: number;
  readonly warmMs: number;
}

function report(title: string, pair: readonly [readonly Times[], readonly Times[]], key: keyof Times): void {
  const [own, sheetjs] = pair.map((times) => median(times.map((time) => time[key]))) as [number, number];
  const ratio = (own / sheetjs).toFixed(3);
  console.log(`${title}: own ${own.toFixed(0)}, SheetJS ${sheetjs.toFixed(0)} CPU ms, ratio ${ratio} (target 0.25)`);
}

function runOnce(name: string, file: string): Times {
  const output = execFileSync(process.execPath, [import.meta.filename, name, file], { encoding: "utf8" });
  return JSON.parse(output) as Times;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

// Times reading and rendering alone: both have loaded their code before.
async function measure(name: "own" | "sheetjs", file: string): Promise<void> {
  const bytes = readFileSync(file);
  const run = name === "own" ? await prepareOwn() : await prepareSheetJs();
  const times: number[] = [];
  for (let count = 0; count < 3; count++) {
    const startedAt = process.cpuUsage();
    const text = await run(bytes);
    const { user, system } = process.cpuUsage(startedAt);
    const lines = text.split("\n").filter((line) => line.startsWith("| ")).length;
    if (lines < rowCount) throw new Error(`${name} wrote ${lines} rows`);
    times.push((user + system) / 1000);
  }
  console.log(JSON.stringify({ coldMs: times[0], warmMs: times[2] }));
}

type Run = (bytes: Uint8Array) => Promise<string>;

async function prepareOwn(): Promise<Run> {
  const { readSource } = await import("../../apps/parser/src/reading/read-source.ts");
  const { renderDocument } = await import("../../apps/parser/src/document/render/render-document.ts");
  const { Budget } = await import("../../apps/parser/src/limits/budget.ts");
  const { defaultLimits } = await import("../../apps/parser/src/limits/default-limits.ts");
  await import("../../apps/parser/src/readers/xlsx/read-xlsx.ts");
  return async (bytes) => {
    const { document } = await readSource(
      { bytes, fileName: "cells.xlsx", format: "xlsx" },
      { pages: [], headersFooters: "drop", images: "placeholder" },
      new Budget(defaultLimits),
    );
    return renderDocument(document, {
      outputFormat: "markdown",
      tables: "auto",
      images: "placeholder",
      pageMarkers: false,
      frontMatter: false,
      footnotes: "keep",
      formulas: "latex",
      links: "keep",
    });
  };
}

// The same Markdown, written as plainly as it can be.
async function prepareSheetJs(): Promise<Run> {
  const { read, utils } = await import("@e965/xlsx");
  return async (bytes) => {
    const book = read(bytes, { type: "buffer", dense: true });
    return book.SheetNames.map((name) => {
      const rows = utils.sheet_to_json<string[]>(book.Sheets[name] ?? {}, { header: 1, raw: false, defval: "" });
      const lines = rows.map((row) => `| ${row.map(escapeCell).join(" | ")} |`);
      const rule = `|${" --- |".repeat(rows[0]?.length ?? 0)}`;
      return [`## ${name}`, "", lines[0], rule, ...lines.slice(1)].join("\n");
    }).join("\n\n");
  };
}

function escapeCell(text: string): string {
  return text.replaceAll(/[\\|*_`<[\]]/g, "\\$&");
}

/** Numbers, dates and shared strings in equal parts, as programs export them. Always the same bytes. */
function buildWorkbook(): Buffer {
  const strings: string[] = [];
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const cells = Array.from({ length: columnCount }, (_unused, column) => buildCell(row, column, strings));
    return `<row r="${row + 1}">${cells.join("")}</row>`;
  });
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
  const types = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const parts = {
    "[Content_Types].xml": `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${types}.sharedStrings+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
    "_rels/.rels": `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/_rels/workbook.xml.rels": `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    "xl/workbook.xml": `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Cells" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/styles.xml": `${declaration}<styleSheet xmlns="${main}"><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/></cellXfs></styleSheet>`,
    "xl/sharedStrings.xml": `${declaration}<sst xmlns="${main}">${strings.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
    "xl/worksheets/sheet1.xml": `${declaration}<worksheet xmlns="${main}"><dimension ref="A1:J${rowCount}"/><sheetData>${rows.join("")}</sheetData></worksheet>`,
  };
  return makeZip(Object.entries(parts).map(([name, bytes]) => ({ name, bytes })));
}

function buildCell(row: number, column: number, strings: string[]): string {
  const reference = `${String.fromCharCode(65 + column)}${row + 1}`;
  if (row === 0) return `<c r="${reference}" t="s"><v>${strings.push(`Column ${column + 1}`) - 1}</v></c>`;
  if (column % 5 === 1) return `<c r="${reference}" s="1"><v>${40_000 + (row % 9000)}</v></c>`;
  if (column % 5 === 2) return `<c r="${reference}" s="2"><v>${(row * 37 + column) / 100}</v></c>`;
  if (column % 5 === 3) return `<c r="${reference}"><v>${row * 11 + column}</v></c>`;
  return `<c r="${reference}" t="s"><v>${strings.push(`Text ${row} of column ${column}${column === 4 ? " &amp; more" : ", and more words"}`) - 1}</v></c>`;
}
