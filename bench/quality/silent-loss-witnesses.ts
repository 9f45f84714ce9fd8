import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";

/** Says what words a file holds, in a way that shares nothing with our readers. */
export interface Witness {
  readonly name: string;
  /** The text of a file; undefined when the witness does not read it. */
  textOf(path: string): string | undefined;
}

/** Kinds that the script tells apart, by our canonical formats. */
const scriptKinds: Readonly<Record<string, string>> = {
  docx: "docx",
  pptx: "pptx",
  xlsx: "xlsx",
  epub: "epub",
  odt: "odf",
  odp: "odf",
  ods: "odf",
  html: "html",
  mhtml: "mhtml",
  eml: "eml",
  mbox: "mbox",
  json: "json",
  jsonl: "jsonl",
  notebook: "notebook",
  xml: "xml",
  fb2: "fb2",
  srt: "srt",
  vtt: "vtt",
  md: "md",
  csv: "csv",
  tsv: "csv",
  txt: "plain",
  yaml: "plain",
  toml: "plain",
  code: "plain",
};

/** Python's standard library over the raw files. */
export function askPython(files: readonly { readonly path: string; readonly format: string }[]): Witness {
  const asked = files.flatMap(({ path, format }) => {
    const kind = scriptKinds[format];
    return kind === undefined ? [] : [[path, kind]];
  });
  const script = join(import.meta.dirname, "silent-loss-witness.py");
  const { stdout, status, stderr } = spawnSync("python3", [script], {
    input: JSON.stringify(asked),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`the Python witness ended with status ${status}: ${stderr.slice(-2000)}`);
  const lines = stdout.split("\n").filter((line) => line !== "");
  const texts = new Map(lines.map((line) => JSON.parse(line) as [string, string | null]));
  return { name: "python", textOf: (path) => texts.get(path) ?? undefined };
}

const text = "txt:Text (encoded):UTF8";
/** Every sheet in a file of its own, as it is shown. */
const sheets = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1";
const conversions: Readonly<Record<string, string>> = {
  docx: text,
  docm: text,
  dotx: text,
  odt: text,
  fodt: text,
  rtf: text,
  xls: sheets,
  xlsx: sheets,
  xlsm: sheets,
  xlsb: sheets,
  ods: sheets,
  fods: sheets,
  pptx: "pdf",
  pptm: "pdf",
  ppsx: "pdf",
  odp: "pdf",
  fodp: "pdf",
};
const batchFiles = 60;
const batchTimeoutMs = 300_000;

export interface LibreOfficeFolders {
  readonly corpus: string;
  /** Kept between runs: converting takes minutes. */
  readonly cache: string;
}

/** LibreOffice, many files in one process; slides as PDF, which pdftotext reads. */
export function askLibreOffice(paths: readonly string[], { corpus, cache }: LibreOfficeFolders): Witness {
  const folderOf = (path: string): string => join(cache, relative(corpus, dirname(path)), extensionOf(path));
  const convertible = paths.filter((path) => conversions[extensionOf(path)] !== undefined);
  const groups = Map.groupBy(convertible, folderOf);
  for (const [folder, members] of groups) if (!existsSync(join(folder, ".done"))) convert(members, folder);
  const listings = new Map([...groups.keys()].map((folder) => [folder, readdirSync(folder)]));
  return {
    name: "libreoffice",
    textOf: (path) => {
      const folder = folderOf(path);
      const stem = basename(path, extname(path));
      const made = (listings.get(folder) ?? []).filter((name) => isMadeFrom(stem, name));
      return made.length === 0 ? undefined : made.map((name) => readMade(join(folder, name))).join("\n");
    },
  };
}

function extensionOf(path: string): string {
  return extname(path).slice(1).toLowerCase();
}

function convert(paths: readonly string[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  const profile = join(folder, ".profile");
  for (let at = 0; at < paths.length; at += batchFiles) {
    const batch = paths.slice(at, at + batchFiles);
    const target = conversions[extensionOf(batch[0] ?? "")] ?? text;
    const args = [`-env:UserInstallation=file://${profile}`, "--headless", "--norestore", "--nolockcheck"];
    spawnSync("soffice", [...args, "--convert-to", target, "--outdir", folder, ...batch], { timeout: batchTimeoutMs });
  }
  writeFileSync(join(folder, ".done"), "");
}

// Sheets are made as NAME-SHEET.csv, so a name that goes on after a hyphen may belong to a longer name beside it.
function isMadeFrom(stem: string, made: string): boolean {
  const madeStem = basename(made, extname(made));
  return made.endsWith(".csv") ? madeStem.startsWith(`${stem}-`) || madeStem === stem : madeStem === stem;
}

function readMade(path: string): string {
  if (!path.endsWith(".pdf")) return readFileSync(path, "utf8");
  const { stdout } = spawnSync("pdftotext", ["-enc", "UTF-8", path, "-"], { encoding: "utf8", maxBuffer: 1 << 28 });
  return stdout;
}
