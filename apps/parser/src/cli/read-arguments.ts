import { parseArgs } from "node:util";

export type CliCommand =
  | ParseCommand
  | ExplainCommand
  | { readonly name: "serve" | "formats" | "engines"; readonly isJson: boolean }
  | HelpCommand;

export interface ParseCommand {
  readonly name: "parse";
  /** Paths of files and URLs, in order. */
  readonly inputs: readonly string[];
  readonly outputDirectory: string | undefined;
  readonly fileType: string;
  readonly engine: string;
  readonly overrides: Readonly<Record<string, string>>;
  readonly isJson: boolean;
  /** Whether existing files are overwritten. */
  readonly isForced: boolean;
}

export interface ExplainCommand {
  readonly name: "explain";
  /** Path of a PDF file. */
  readonly input: string;
  /** One-based. */
  readonly page: number;
  /** Where the picture goes; standard output when absent. */
  readonly output: string | undefined;
  readonly isForced: boolean;
}

export interface HelpCommand {
  readonly name: "help";
  /** What was wrong with the arguments; undefined when help was asked for. */
  readonly fault: string | undefined;
}

const options = {
  "output-dir": { type: "string", short: "o" },
  format: { type: "string", short: "f" },
  type: { type: "string" },
  engine: { type: "string", short: "e" },
  set: { type: "string", multiple: true },
  page: { type: "string" },
  output: { type: "string" },
  json: { type: "boolean" },
  force: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** The command that the arguments ask for; faults come back as help with the fault. */
export function readArguments(args: readonly string[]): CliCommand {
  try {
    return toCommand(parseArgs({ args: [...args], options, allowPositionals: true }));
  } catch (error) {
    return { name: "help", fault: error instanceof Error ? error.message : String(error) };
  }
}

type Parsed = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;

function toCommand({ values, positionals }: Parsed): CliCommand {
  const [name, ...inputs] = positionals;
  const isJson = values.json ?? false;
  if (values.help === true || name === undefined) return { name: "help", fault: undefined };
  if (name === "serve" || name === "formats" || name === "engines") return { name, isJson };
  if (name === "explain") return toExplainCommand(inputs, values);
  if (values.page !== undefined || values.output !== undefined)
    return {
      name: "help",
      fault: "--page and --output are options of `explain`; `parse` has --set pages=N and --output-dir.",
    };
  if (name === "parse") return toParseCommand(inputs, values);
  return { name: "help", fault: `There is no command \`${name}\`.` };
}

function toExplainCommand(inputs: readonly string[], values: Parsed["values"]): ExplainCommand | HelpCommand {
  const [input, ...others] = inputs;
  if (input === undefined || others.length > 0) return { name: "help", fault: "`explain` takes one file." };
  const page = /^[1-9]\d{0,6}$/.test(values.page ?? "") ? Number(values.page) : undefined;
  if (page === undefined) return { name: "help", fault: "`explain` needs --page N, a number from 1." };
  return { name: "explain", input, page, output: values.output, isForced: values.force ?? false };
}

function toParseCommand(inputs: readonly string[], values: Parsed["values"]): ParseCommand | HelpCommand {
  const isJson = values.json ?? false;
  if (inputs.length === 0) return { name: "help", fault: "`parse` needs at least one file or URL." };
  if (inputs.length > 1 && values["output-dir"] === undefined && !isJson) {
    return { name: "help", fault: "Several files need --output-dir DIR or --json." };
  }
  return {
    name: "parse",
    inputs,
    isJson,
    isForced: values.force ?? false,
    outputDirectory: values["output-dir"],
    fileType: values.type ?? "",
    engine: values.engine ?? "",
    overrides: toOverrides(values.set ?? [], values.format),
  };
}

function toOverrides(settings: readonly string[], format: string | undefined): Readonly<Record<string, string>> {
  const overrides: Record<string, string> = format === undefined ? {} : { output_format: format };
  for (const setting of settings) {
    const equalsAt = setting.indexOf("=");
    if (equalsAt < 1) throw new Error(`--set takes KEY=VALUE, not \`${setting}\`.`);
    overrides[setting.slice(0, equalsAt)] = setting.slice(equalsAt + 1);
  }
  return overrides;
}

export const helpText = `docparser: the text of any document

  docparser parse FILE|URL…   Print the text of a document; of several, into --output-dir
      -o, --output-dir DIR      Write NAME.md (or .txt, .html, .json) for each file
          --force               Overwrite files that exist
      -f, --format FORMAT       markdown (default), text, html, json
      -e, --engine NAME         Parser engine; the best available one when absent
          --type TYPE           What the file is, when its name does not say
          --set KEY=VALUE       An override, repeatable: --set pages=1-3
          --json                One JSON object for each document, as the service answers
  docparser explain FILE --page N
                              Draw what layout made of a page of a PDF file, as SVG
          --output FILE.svg     Write it there
          --force               Overwrite the file if it exists
  docparser serve             Serve docparser.DocumentParser over gRPC
  docparser formats [--json]  File types that can be read
  docparser engines [--json]  Parser engines, and why one is not available

Configuration comes from the environment: docs/reference/configuration.md.
`;
