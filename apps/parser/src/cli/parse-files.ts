import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ParseOutcome } from "../pipeline/parse-call.ts";
import type { ParseDocument } from "../pipeline/parse-document.ts";
import { ParseRecord } from "../pipeline/parse-record.ts";
import type { ParseCommand } from "./read-arguments.ts";

export interface ParseFilesDeps {
  readonly parseDocument: ParseDocument;
  readonly writeOut: (text: string | Uint8Array) => Promise<void>;
  readonly writeError: (text: string) => void;
}

const extensions: Readonly<Record<string, string>> = { text: "txt", html: "html", json: "json" };

/** Parses each input in turn. @returns the exit status: 0 when all were parsed, else 1. */
export async function parseFiles(command: ParseCommand, deps: ParseFilesDeps, signal: AbortSignal): Promise<0 | 1> {
  const names = new UniqueNames(extensions[command.overrides["output_format"] ?? ""] ?? "md");
  let failures = 0;
  for (const [index, input] of command.inputs.entries()) {
    const outcome = await parseOne(input, command, { deps, signal });
    if (!outcome.success) failures++;
    await report({ input, index, outcome, target: names.take(input) }, command, deps);
  }
  const total = command.inputs.length;
  if (total > 1) deps.writeError(`${total - failures} of ${total} documents parsed, ${failures} failed.\n`);
  return failures === 0 ? 0 : 1;
}

async function parseOne(
  input: string,
  command: ParseCommand,
  { deps, signal }: { readonly deps: ParseFilesDeps; readonly signal: AbortSignal },
): Promise<ParseOutcome> {
  const isUrl = /^[a-z][a-z0-9+.-]+:/i.test(input);
  const call = {
    fileUrl: isUrl ? input : pathToFileURL(resolve(input)).href,
    fileName: isUrl ? "" : basename(input),
    fileType: command.fileType,
    parserEngine: command.engine,
    engineOverrides: command.overrides,
  };
  return deps.parseDocument(call, new ParseRecord("cli"), signal);
}

interface Report {
  readonly input: string;
  readonly index: number;
  readonly outcome: ParseOutcome;
  /** Name of the file to write, without folder. */
  readonly target: string;
}

async function report(
  { input, index, outcome, target }: Report,
  command: ParseCommand,
  deps: ParseFilesDeps,
): Promise<void> {
  const isMany = command.inputs.length > 1;
  const place = isMany ? `[${index + 1}/${command.inputs.length}] ${input}: ` : "";
  if (outcome.success && command.outputDirectory !== undefined) {
    await mkdir(command.outputDirectory, { recursive: true });
    const path = join(command.outputDirectory, target);
    await writeFile(path, outcome.content);
    deps.writeError(
      `${place}${outcome.fileType} → ${path}, ${outcome.contentLength} characters${note(outcome.message)}\n`,
    );
  } else if (!command.isJson) {
    if (outcome.message !== "") deps.writeError(`${place}${outcome.message}\n`);
    if (outcome.success) await deps.writeOut(outcome.content);
  }
  if (command.isJson) await deps.writeOut(`${JSON.stringify(toJson(input, outcome))}\n`);
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

/** Names of output files: a second `report.docx` becomes `report-2.md` instead of overwriting the first. */
class UniqueNames {
  readonly #extension: string;
  readonly #taken = new Set<string>();

  constructor(extension: string) {
    this.#extension = extension;
  }

  take(input: string): string {
    const stem = basename(input.split(/[?#]/)[0] ?? "").replace(/\.[A-Za-z0-9]{1,8}$/, "") || "document";
    let name = `${stem}.${this.#extension}`;
    for (let count = 2; this.#taken.has(name.toLowerCase()); count++) name = `${stem}-${count}.${this.#extension}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}
