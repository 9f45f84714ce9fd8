import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ParseCall, ParseOutcome, ParseSuccess } from "../pipeline/parse-call.ts";
import type { ParseDocument } from "../pipeline/parse-document.ts";
import { ParseRecord } from "../pipeline/parse-record.ts";
import type { ParseCommand } from "./read-arguments.ts";

export interface ParseFilesDeps {
  readonly parseDocument: ParseDocument;
  readonly writeOut: (text: string | Uint8Array) => Promise<void>;
  readonly writeError: (text: string) => void;
  /** Hears of every document, for the log. */
  readonly onFailure: (record: ParseRecord) => void;
}

/** Parses each input in turn; one that fails does not stop the others. @returns the exit status: 0 when all were parsed, else 1. */
export async function parseFiles(command: ParseCommand, deps: ParseFilesDeps, signal: AbortSignal): Promise<0 | 1> {
  const names = new UniqueNames();
  let failures = 0;
  for (const [index, input] of command.inputs.entries()) {
    const isDone = await parseOne({ input, index, names }, command, { deps, signal });
    if (!isDone) failures++;
  }
  const total = command.inputs.length;
  if (total > 1) deps.writeError(`${total - failures} of ${total} documents parsed, ${failures} failed.\n`);
  return failures === 0 ? 0 : 1;
}

interface Input {
  readonly input: string;
  readonly index: number;
  readonly names: UniqueNames;
}

interface Tools {
  readonly deps: ParseFilesDeps;
  readonly signal: AbortSignal;
}

async function parseOne(
  { input, index, names }: Input,
  command: ParseCommand,
  { deps, signal }: Tools,
): Promise<boolean> {
  const record = new ParseRecord("cli");
  const outcome = await deps.parseDocument(toCall(input, command), record, signal);
  deps.onFailure(record);
  const isMany = command.inputs.length > 1;
  const place = isMany ? `[${index + 1}/${command.inputs.length}] ${input}: ` : "";
  if (command.isJson) await deps.writeOut(`${JSON.stringify(toJson(input, outcome))}\n`);
  if (!outcome.success) {
    if (!command.isJson) deps.writeError(`${place}${outcome.message}\n`);
    return false;
  }
  if (command.outputDirectory !== undefined)
    return writeFileOut(outcome, { place, name: names.take(input, command) }, { command, deps });
  if (command.isJson) return true;
  if (outcome.message !== "") deps.writeError(`${place}${outcome.message}\n`);
  await deps.writeOut(outcome.content);
  return true;
}

function toCall(input: string, command: ParseCommand): ParseCall {
  const isUrl = isAddress(input);
  return {
    fileUrl: isUrl ? input : pathToFileURL(resolve(input)).href,
    fileName: isUrl ? "" : basename(input),
    fileType: command.fileType,
    parserEngine: command.engine,
    engineOverrides: command.overrides,
  };
}

// Only the schemes that the service reads; a file may have a colon in its name.
function isAddress(input: string): boolean {
  return /^(https?|s3|file):\/\/|^data:/i.test(input);
}

interface Target {
  /** Which of many, for messages. */
  readonly place: string;
  readonly name: string;
}

// An existing file may be the user's own work, even the very file that was parsed; it is kept unless --force says otherwise.
async function writeFileOut(
  outcome: ParseSuccess,
  { place, name }: Target,
  { command, deps }: { readonly command: ParseCommand; readonly deps: ParseFilesDeps },
): Promise<boolean> {
  const folder = command.outputDirectory ?? "";
  const path = join(folder, name);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path, outcome.content, { flag: command.isForced ? "w" : "wx" });
    deps.writeError(
      `${place}${outcome.fileType} → ${path}, ${outcome.contentLength} characters${note(outcome.message)}\n`,
    );
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    const why = code === "EEXIST" ? "it exists already; --force overwrites it" : code;
    deps.writeError(`${place}${path} was not written: ${why}\n`);
    return false;
  }
}

function note(message: string): string {
  return message === "" ? "" : ` (${message})`;
}

// The fields of ParseResponse under their names on the wire.
function toJson(input: string, outcome: ParseOutcome): object {
  return {
    input,
    success: outcome.success,
    content: outcome.success ? Buffer.from(outcome.content).toString("utf8") : "",
    message: outcome.message,
    content_length: outcome.success ? outcome.contentLength : 0,
    file_type: outcome.fileType,
    parser_engine: outcome.parserEngine,
  };
}

const extensions: Readonly<Record<string, string>> = { text: "txt", html: "html", json: "json" };

/** Names of output files: a second `report.docx` becomes `report-2.md` instead of overwriting the first. */
class UniqueNames {
  readonly #taken = new Set<string>();

  take(input: string, command: ParseCommand): string {
    const format = (command.overrides["output_format"] ?? "").trim().toLowerCase();
    const extension = extensions[format] ?? "md";
    const stem = stemOf(input);
    let name = `${stem}.${extension}`;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count++) name = `${stem}-${count}.${extension}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

function stemOf(input: string): string {
  const path = isAddress(input) ? (/^data:/i.test(input) ? "" : (URL.parse(input)?.pathname ?? "")) : input;
  return (
    basename(path)
      .replace(/\.[A-Za-z0-9]{1,8}$/, "")
      .slice(0, 200) || "document"
  );
}
