import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodePackages, pythonPackages } from "./packages.ts";
import type { Peer } from "./peer.ts";

export const peersFolder = join(import.meta.dirname, "../../.work/peers");

const nodeWorker = join(import.meta.dirname, "node-worker.ts");
const pythonWorker = join(import.meta.dirname, "worker.py");
const office = ["docx", "pptx", "xlsx", "odt", "ods", "odp"];

/** The product itself, in one process, as its workers read. */
export const ours: Peer = {
  id: "docparser",
  name: "docparser",
  version: "",
  licence: "Apache-2.0",
  settings: "engine builtin, Markdown",
  output: "markdown",
  reads: ["pdf", ...office, "html", "epub", "csv"],
  command: [process.execPath, nodeWorker, "docparser"],
  missing: undefined,
};

/** Every peer, those that are missing here with the reason. */
export function findPeers(): Peer[] {
  return [...fromNpm(), ...fromPypi(), ...fromDebian()];
}

function fromNpm(): Peer[] {
  const reads = {
    pdf: ["pdf"],
    mammoth: ["docx"],
    turndown: ["html"],
    office: ["pdf", ...office, "html", "epub", "csv"],
  };
  const shown: readonly Shown[] = [
    { id: "liteparse", name: "LiteParse", settings: "Markdown, OCR off", output: "markdown", reads: reads.pdf },
    { id: "pdf-inspector", name: "pdf-inspector", settings: "Markdown", output: "markdown", reads: reads.pdf },
    { id: "unpdf", name: "unpdf (pdf.js)", settings: "text by page", output: "text", reads: reads.pdf },
    { id: "officeparser", name: "officeparser", settings: "Markdown", output: "markdown", reads: reads.office },
    { id: "mammoth", name: "mammoth", settings: "HTML", output: "html", reads: reads.mammoth },
    { id: "turndown", name: "turndown + gfm", settings: "Markdown", output: "markdown", reads: reads.turndown },
  ];
  const inNode = shown.map((one) => {
    const { name, version, licence } = nodePackages[one.id]!;
    const isThere = existsSync(join(peersFolder, "node_modules", name));
    const command = [process.execPath, nodeWorker, one.id, peersFolder] as const;
    return { ...one, version, licence, command, missing: isThere ? undefined : notInstalled };
  });
  return [inNode[0]!, inNode[1]!, openDataLoader(), ...inNode.slice(2)];
}

type Shown = Pick<Peer, "id" | "name" | "settings" | "output" | "reads" | "limits" | "isYardstick">;

const notInstalled = "not installed: run `npm run bench:peers`";

function openDataLoader(): Peer {
  const { version, licence } = nodePackages["opendataloader"]!;
  const jar = join(peersFolder, "node_modules/@opendataloader/pdf/lib/opendataloader-pdf-cli.jar");
  const run = ["java", "-jar", jar, "--quiet", "--format", "markdown", "--image-output", "off"];
  const hasJava = spawnSync("java", ["-version"]).status === 0;
  return {
    id: "opendataloader",
    name: "OpenDataLoader",
    version,
    licence,
    settings: "local, Markdown",
    output: "markdown",
    reads: ["pdf"],
    command: ["python3", pythonWorker, "command", ...run, "--to-stdout", "{}"],
    batch: [...run, "--output-dir", "{out}", "{}"],
    missing: !existsSync(jar) ? notInstalled : hasJava ? undefined : "there is no Java 17 on this machine",
  };
}

function fromPypi(): Peer[] {
  const markitdown = ["pdf", "docx", "pptx", "xlsx", "html", "epub", "csv"];
  const shown: readonly Shown[] = [
    { id: "markitdown", name: "MarkItDown", settings: "Markdown", output: "markdown", reads: markitdown },
    {
      id: "pymupdf4llm",
      name: "pymupdf4llm",
      settings: "Markdown, with its layout model",
      output: "markdown",
      reads: ["pdf"],
      isYardstick: true,
      limits: "a yardstick, on the files of the second part alone: it is AGPL and takes a second of CPU for a page",
    },
    unstructured(),
    {
      id: "docling",
      name: "Docling",
      settings: "Markdown",
      output: "markdown",
      reads: [...office, "html", "epub", "csv"],
      limits: "no PDF: it reads them with models, which this comparison leaves out",
    },
  ];
  return shown.map((one) => {
    const { version, licence } = pythonPackages[one.id]!;
    const python = pythonOf(one.id);
    const missing = existsSync(python) ? undefined : notInstalled;
    return { ...one, version, licence, command: [python, pythonWorker, one.id] as const, missing };
  });
}

// Words are told apart from titles by a model of spaCy, which it downloads from GitHub when it is first asked; all but sheets
// needs that. Its PDF part asks for `unstructured[pdf]` as well, and with it for torch and onnx.
function unstructured(): Shown {
  const hasModel = spawnSync(pythonOf("unstructured"), ["-c", "import en_core_web_sm"]).status === 0;
  const shown = {
    id: "unstructured",
    name: "Unstructured",
    settings: "elements as Markdown",
    output: "markdown",
  } as const;
  const reads = ["xlsx", "csv", ...(hasModel ? ["docx", "pptx", "odt", "html", "epub"] : [])];
  const noPdf = "no PDF: `unstructured[pdf]` brings torch, onnx and models";
  const noModel =
    "nothing but sheets: the spaCy model en_core_web_sm, which it downloads from GitHub, cannot be had here";
  return { ...shown, reads, limits: hasModel ? noPdf : `${noPdf}; ${noModel}` };
}

function pythonOf(id: string): string {
  return join(peersFolder, `python-${id}/bin/python`);
}

function fromDebian(): Peer[] {
  return [
    fromCommand({ id: "pdftotext", command: ["pdftotext", "-enc", "UTF-8", "{}", "-"], licence: "GPL-2.0" }),
    fromCommand({ id: "mutool", command: ["mutool", "draw", "-q", "-F", "txt", "{}"], licence: "AGPL-3.0" }),
  ];
}

function fromCommand({ id, command, licence }: { id: string; command: readonly string[]; licence: string }): Peer {
  const { stdout, stderr, error } = spawnSync(command[0]!, ["-v"], { encoding: "utf8" });
  return {
    id,
    name: id,
    version: /\d+\.\d+[.\d]*/.exec(`${stdout}${stderr}`)?.[0] ?? "",
    licence,
    settings: "text, a process for each file",
    output: "text",
    reads: ["pdf"],
    command: ["python3", pythonWorker, "command", ...command],
    missing: error === undefined ? undefined : `there is no ${id} on this machine`,
  };
}
