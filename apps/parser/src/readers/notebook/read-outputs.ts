import { stripVTControlCharacters } from "node:util";
import type { Block, ImageBlock } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import { field, type Json, list, multiline, string } from "./parse-notebook.ts";
import { readMarkup } from "./read-markup.ts";

const imageTypes = ["image/png", "image/jpeg", "image/svg+xml", "image/gif", "image/webp"];
// Names of nbformat 3 for what nbformat 4 gives a media type.
const oldNames: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/svg+xml": "svg",
  "text/html": "html",
  "text/latex": "latex",
  "text/plain": "text",
  "application/json": "json",
};

/** What a code cell printed, showed and raised, in its richest textual form. */
export async function readOutputs(cell: Json, context: ReadContext): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const output of list(cell, "outputs")) {
    const last = blocks.at(-1);
    const next = await readOutput(output, context);
    const only = next[0];
    // Programs print in pieces; the pieces of one stream are one text.
    if (isStream(output) && last?.type === "code" && only?.type === "code" && last.language === undefined) {
      blocks[blocks.length - 1] = { ...last, text: `${last.text}\n${only.text}` };
    } else blocks.push(...next);
  }
  return blocks;
}

function isStream(output: Json): boolean {
  return string(output, "output_type") === "stream";
}

async function readOutput(output: Json, context: ReadContext): Promise<Block[]> {
  const kind = string(output, "output_type");
  if (kind === "stream") return plain(multiline(output, "text"));
  if (kind === "error" || kind === "pyerr") return plain(traceback(output));
  const bundle = field(output, "data") ?? output;
  return (await readMarkupOutput(bundle, context)) ?? readImage(bundle, context) ?? plainOutput(bundle, context);
}

async function readMarkupOutput(bundle: Json, context: ReadContext): Promise<Block[] | undefined> {
  const markdown = textOf(bundle, "text/markdown");
  if (markdown !== undefined) return readMarkup(markdown, "md", context);
  const html = textOf(bundle, "text/html");
  if (html !== undefined && hasWords(html)) return readMarkup(html, "html", context);
  const latex = textOf(bundle, "text/latex");
  return latex === undefined ? undefined : [{ type: "formula", notation: "latex", text: withoutDollars(latex) }];
}

// Scripts of plotting libraries are no text; what they draw has a picture or a plain form beside them.
function hasWords(html: string): boolean {
  return !/^\s*<(?:script|style|iframe|div[^>]{0,200}>\s*<(?:script|iframe))/i.test(html);
}

function withoutDollars(latex: string): string {
  return latex
    .trim()
    .replace(/^\${1,2}|\${1,2}$/g, "")
    .trim();
}

function readImage(bundle: Json, context: ReadContext): Block[] | undefined {
  const mediaType = imageTypes.find((type) => textOf(bundle, type) !== undefined);
  if (mediaType === undefined) return undefined;
  const alt = textOf(bundle, "text/plain") ?? "";
  const image: ImageBlock = { type: "image", alt: /^<.*>$/s.test(alt.trim()) ? "" : alt.trim() };
  if (context.options.images !== "data_uri") return [image];
  const content = textOf(bundle, mediaType) ?? "";
  const bytes = Buffer.from(content, mediaType === "image/svg+xml" ? "utf8" : "base64");
  return [{ ...image, data: { mediaType, bytes } }];
}

function plainOutput(bundle: Json, context: ReadContext): Block[] {
  const text = textOf(bundle, "text/plain");
  if (text !== undefined) return plain(text);
  const value = field(bundle, "application/json") ?? field(bundle, "json");
  if (value === undefined) {
    tellUnread(bundle, context);
    return [];
  }
  return [{ type: "code", language: "json", text: typeof value === "string" ? value : JSON.stringify(value, null, 2) }];
}

function tellUnread(bundle: Json, context: ReadContext): void {
  const types = typeof bundle === "object" && bundle !== null ? Object.keys(bundle) : [];
  const named = types.filter((type) => /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type)).slice(0, 3);
  if (named.length > 0) context.warn(`An output of a form that is not read was left out (${named.join(", ")}).`);
}

function textOf(bundle: Json, mediaType: string): string | undefined {
  return multiline(bundle, mediaType) ?? multiline(bundle, oldNames[mediaType] ?? mediaType);
}

function traceback(output: Json): string {
  const lines = list(output, "traceback").filter((line) => typeof line === "string");
  return lines.length > 0 ? lines.join("\n") : `${string(output, "ename") ?? ""}: ${string(output, "evalue") ?? ""}`;
}

// A carriage return takes a progress bar back to the start of its line; what it overwrote was never meant to last.
function plain(text: string | undefined): Block[] {
  const clean = stripVTControlCharacters(text ?? "")
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1).replace(/\r$/, ""))
    .join("\n")
    .replace(/(?<!\n)\n+$/, "");
  return clean.trim() === "" ? [] : [{ type: "code", text: clean }];
}
