import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { ParseOptions } from "../../overrides/parse-options.ts";
import { decodeText } from "../../text/decode-text.ts";
import { defineEngine, type Source } from "../engine.ts";
import { probeProgram, runEngineCommand } from "../program.ts";
import { readIntermediate } from "../read-intermediate.ts";

const name = "pandoc";

interface PandocFormat {
  readonly from: string;
  /** pandoc takes text in UTF-8 only, and believes no declaration. */
  readonly isText?: boolean;
  /** The title is a line of the document, which pandoc puts into the metadata. */
  readonly showsTitle?: boolean;
}

const formats: Readonly<Record<string, PandocFormat>> = {
  docx: { from: "docx", showsTitle: true },
  odt: { from: "odt" },
  epub: { from: "epub" },
  fb2: { from: "fb2", isText: true },
  html: { from: "html", isText: true },
  xhtml: { from: "html", isText: true },
  md: { from: "markdown", isText: true },
  rst: { from: "rst", isText: true, showsTitle: true },
  org: { from: "org", isText: true, showsTitle: true },
  tex: { from: "latex", isText: true, showsTitle: true },
  rtf: { from: "rtf" },
  ipynb: { from: "ipynb", isText: true },
  csv: { from: "csv", isText: true },
  tsv: { from: "tsv", isText: true },
};

const textFormats = Object.keys(formats).filter((format) => formats[format]?.isText === true);

/**
 * The pandoc command (https://pandoc.org/MANUAL.html), which reads standard input. It gives HTML, because its Markdown loses
 * merged cells; `--sandbox`, of pandoc 2.15 and newer, keeps it from other files and the network.
 */
export const pandoc = defineEngine({
  name,
  description: "The pandoc command converts markup and word processor files, and builtin reads what comes out",
  formats: Object.keys(formats),
  rank: undefined,
  settings: {
    PARSER_PANDOC_PATH: z
      .string()
      .default("pandoc")
      .meta({ description: "The pandoc command, by name or path", allowed: "path" }),
  },
  overrides: {},
  honours: { encoding: textFormats },
  create: ({ settings, runCommand, readIsolated, timeoutMs }) => {
    const file = settings.PARSER_PANDOC_PATH;
    return {
      probe: (_values, signal) =>
        probeProgram(
          runCommand,
          {
            file,
            args: ["--sandbox", "--version"],
            remedy: "install pandoc 2.15 or newer, or set PARSER_PANDOC_PATH.",
          },
          signal,
        ),
      parse: async (request, signal) => {
        const { source, options } = request;
        const format = formats[source.format] ?? { from: source.format };
        const stdin = await readInput(source, format, options);
        const files = { readable: [template], writable: [] };
        const limits = { maxOutputBytes: 256 << 20, memoryMib: 2048 };
        const command = { engine: name, file, args: argumentsFor(format), stdin, files, ...limits };
        const deps = { runCommand, timeoutMs };
        const { stdout, stderr } = await runEngineCommand(deps, { command, request }, signal).catch(explainFormat);
        const text = { bytes: stdout, format: "html" } as const;
        const parsed = await readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
        return { ...parsed, warnings: [...findWarnings(stderr), ...parsed.warnings] };
      },
    };
  },
});

async function readInput(source: Source, { isText }: PandocFormat, { read }: ParseOptions): Promise<Uint8Array> {
  const bytes = await source.readBytes();
  if (isText !== true) return bytes;
  const { text } = decodeText(bytes, {
    ...(read.encoding !== undefined && { encoding: read.encoding }),
    ...(source.charset !== undefined && { charset: source.charset }),
  });
  return Buffer.from(text);
}

const template = join(import.meta.dirname, "page.template");

// For MathJax formulas stay LaTeX.
function argumentsFor({ from, showsTitle }: PandocFormat): readonly string[] {
  const target = ["--to=html", "--standalone", `--template=${template}`, "--wrap=none", "--mathjax"];
  return ["--sandbox", `--from=${from}`, ...target, ...(showsTitle === true ? ["--variable=shows-title"] : [])];
}

// Readers came one by one: that for TSV with pandoc 3.
function explainFormat(error: unknown): never {
  const said = error instanceof AppError && error.cause instanceof Error ? error.cause.message : "";
  const unknown = /Unknown (?:input format|reader):? ['"]?(\w+)/i.exec(said)?.[1];
  if (unknown === undefined) throw error;
  throw new AppError("ENGINE_UNAVAILABLE", { detail: `This version of pandoc does not read ${unknown}.` }, error);
}

const maxWarnings = 10;
// Parts of its own that pandoc does not find in the sandbox, and does not need.
const ownTrouble = /^Could not load translations|^The term .* has no translation|nonempty <title>/;

function findWarnings(stderr: string): readonly string[] {
  const told = [...stderr.matchAll(/^\[WARNING\] (.{1,200})/gm)].map(([, sentence = ""]) => sentence.trim());
  const warnings = [...new Set(told)].filter((sentence) => !ownTrouble.test(sentence));
  return warnings.slice(0, maxWarnings).map((sentence) => `pandoc: ${sentence.replace(/[.,;:]?$/, ".")}`);
}
