import { AppError } from "@attune/service-kit/app-error.ts";

/** A value of parsed JSON, to be looked into with the functions below. */
export type Json = unknown;

export interface Notebook {
  readonly metadata: Json;
  readonly cells: readonly Json[];
  /** Of the kernel, lower case. */
  readonly language: string;
}

/**
 * Cells of a notebook of nbformat 3 or 4.
 * @throws AppError `DOCUMENT_CORRUPT` when the text is not the JSON of a notebook.
 */
export function parseNotebook(text: string): Notebook {
  const root = parseJson(text);
  const metadata = field(root, "metadata");
  const cells = Array.isArray(field(root, "cells")) ? list(root, "cells") : worksheetCells(root);
  if (cells === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "The notebook has no cells." });
  return { metadata, cells, language: languageOf(metadata, cells) };
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "The notebook is not valid JSON." }, error);
  }
}

// nbformat 3 divides cells into worksheets.
function worksheetCells(root: Json): readonly Json[] | undefined {
  if (!Array.isArray(field(root, "worksheets"))) return undefined;
  return list(root, "worksheets").flatMap((sheet) => list(sheet, "cells"));
}

function languageOf(metadata: Json, cells: readonly Json[]): string {
  const named =
    string(field(metadata, "language_info"), "name") ??
    string(field(metadata, "kernelspec"), "language") ??
    cells.map((cell) => string(cell, "language")).find((name) => name !== undefined);
  const language = (named ?? "python").toLowerCase();
  return /^i?python/.test(language) ? "python" : language.replace(/[^\w#+.-]/g, "");
}

/** A member of an object; undefined when there is none, or no object. */
export function field(value: Json, name: string): Json {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

export function list(value: Json, name: string): readonly Json[] {
  const member = field(value, name);
  return Array.isArray(member) ? member : [];
}

export function string(value: Json, name: string): string | undefined {
  const member = field(value, name);
  return typeof member === "string" ? member : undefined;
}

/** Text that a notebook stores as one string or as a list of lines with their ends. */
export function multiline(value: Json, name: string): string | undefined {
  const member = field(value, name);
  if (typeof member === "string") return member;
  return Array.isArray(member) ? member.filter((line) => typeof line === "string").join("") : undefined;
}
