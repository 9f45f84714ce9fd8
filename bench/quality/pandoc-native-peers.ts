import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** A program that turns office files into a format our readers read. */
export interface OfficePeer {
  readonly name: string;
  readonly format: "html" | "markdown";
  /** Text for each file that it could read, by path. */
  convert(paths: readonly string[]): ReadonlyMap<string, string>;
}

const npmPeers = ["mammoth@1.13.0", "officeparser@8.1.1"];
const pythonPeer = "markitdown[docx,pptx,xlsx]==0.1.8";

/** The peers in `folder`, installed there at fixed versions when they are missing; `markitdown` may be named instead. */
export function installPeers(folder: string, markitdown: string | undefined): OfficePeer[] {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules/officeparser"))) run("npm", ["install", "--prefix", folder, ...npmPeers]);
  const python = markitdown ?? join(folder, "python/bin/python");
  if (!existsSync(python)) {
    run("python3", ["-m", "venv", join(folder, "python")]);
    run(python, ["-m", "pip", "install", "--quiet", pythonPeer]);
  }
  const node = (script: string) => (paths: readonly string[]) =>
    convertAll({ command: process.execPath, args: ["--input-type=module", "-e", script], folder }, paths);
  return [
    { name: "mammoth 1.13.0", format: "html", convert: node(mammothScript) },
    { name: "officeparser 8.1.1", format: "markdown", convert: node(officeparserScript) },
    {
      name: "MarkItDown 0.1.8",
      format: "markdown",
      convert: (paths) => convertAll({ command: python, args: ["-c", markitdownScript], folder }, paths),
    },
  ];
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`, { cause: error });
}

interface Batch {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
}

// Paths go in as a JSON list; each answer comes out as a line of JSON, [path, text].
function convertAll({ command, args, folder }: Batch, paths: readonly string[]): ReadonlyMap<string, string> {
  const { stdout, status, stderr } = spawnSync(command, args, {
    cwd: folder,
    input: JSON.stringify(paths),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`a peer ended with status ${status}: ${stderr.slice(-2000)}`);
  const lines = stdout.split("\n").filter((line) => line.startsWith('["'));
  return new Map(lines.map((line) => JSON.parse(line) as [string, string]));
}

const readPaths = `const paths = JSON.parse(await (await import("node:stream/consumers")).text(process.stdin));
const answer = (path, text) => process.stdout.write("\\n" + JSON.stringify([path, text]) + "\\n");`;

const mammothScript = `import mammoth from "mammoth";
${readPaths}
for (const path of paths) {
  if (!/\\.docx$/.test(path)) continue;
  try { answer(path, (await mammoth.convertToHtml({ path })).value); } catch {}
}`;

const officeparserScript = `import { parseOffice } from "officeparser";
${readPaths}
for (const path of paths) {
  try {
    const { value } = await (await parseOffice(path, {})).to("md");
    answer(path, value.replace(/^---\\n[\\s\\S]*?\\n---\\n/, "").replaceAll(/<a id="[^"]*"><\\/a>| ?\\{#[^}\\n]*\\}/g, ""));
  } catch {}
}
process.exit(0);`;

const markitdownScript = `import json, sys
from markitdown import MarkItDown
converter = MarkItDown()
for path in json.load(sys.stdin):
    try:
        text = converter.convert(path).text_content
    except Exception:
        continue
    print("\\n" + json.dumps([path, text]), flush=True)
`;
