import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ReadIsolated } from "../engines/engine.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import type { ExplainCommand } from "./read-arguments.ts";

export interface ExplainPageDeps {
  /** Reads in a worker process, as parsing does. */
  readonly read: ReadIsolated;
  readonly writeOut: (text: Uint8Array) => Promise<void>;
  readonly writeError: (text: string) => void;
}

/** Draws what layout made of one page of a PDF file. @returns the exit status: 0 when it was drawn, else 1. */
export async function explainPage(command: ExplainCommand, deps: ExplainPageDeps, signal: AbortSignal): Promise<0 | 1> {
  try {
    const bytes = await readFile(command.input);
    const input = { bytes, fileName: basename(command.input), format: "pdf" };
    const { options } = readOverrides({}, new Map());
    const { content, warnings } = await deps.read(input, { ...options, explainPage: command.page }, signal);
    for (const warning of warnings) deps.writeError(`${warning}\n`);
    if (command.output === undefined) await deps.writeOut(content);
    else await writeFile(command.output, content, { flag: command.isForced ? "w" : "wx" });
    return 0;
  } catch (error) {
    deps.writeError(`${toSentence(error)}\n`);
    return 1;
  }
}

function toSentence(error: unknown): string {
  if (error instanceof AppError) return error.message;
  const isExisting = error instanceof Error && "code" in error && error.code === "EEXIST";
  if (isExisting) return `${(error as NodeJS.ErrnoException).path} exists already; --force overwrites it.`;
  return error instanceof Error ? error.message : String(error);
}
