import { AppError } from "@attune/service-kit/app-error.ts";
import { decodeTransfer } from "../../containers/mime-transfer.ts";
import type { Block } from "../../document/document.ts";
import { shiftHeadings } from "../../document/shift-headings.ts";
import { type MailAttachment, readAttachments } from "../mail-attachments.ts";
import { mailTextBlocks } from "../mail-text-blocks.ts";
import type { ReadContext } from "../reader.ts";
import { entryFacts, isInline } from "./entry-facts.ts";
import { type Property, textOf } from "./property.ts";
import type { Component } from "./walk-components.ts";

const untitled: Readonly<Record<string, string>> = {
  VEVENT: "Event",
  VTODO: "To-do",
  VJOURNAL: "Journal entry",
  VFREEBUSY: "Free/busy",
};

/** An entry: its summary as a heading of the first level, its facts, its description and the files in it. */
export async function entryBlocks(entry: Component, context: ReadContext): Promise<Block[]> {
  const title = summaryOf(entry) ?? untitled[entry.name] ?? entry.name;
  return [
    { type: "heading", level: 1, inlines: [title] },
    ...entryFacts(entry),
    ...(await describe(entry, context)),
    ...(await readAttachments(entry.properties.flatMap(toAttachment), countFiles(context))),
  ];
}

/** The title that an entry gives itself. */
export function summaryOf({ properties }: Component): string | undefined {
  const summary = properties.find(({ name, value }) => name === "SUMMARY" && value.trim() !== "");
  return summary && textOf(summary).replace(/\s+/g, " ").trim();
}

const structure = /<(?:table|ul|ol|h[1-6]|pre|blockquote)\b|<a\s[^>]{0,500}href/i;
// Some calendars write HTML where only plain text is allowed.
const markup = /<\/(?:a|b|i|u|p|ul|ol|li|div|span|strong|em|html)>|<br\s{0,8}\/?>/i;

// HTML where it has structure that plain text cannot have, plain text otherwise.
async function describe({ properties }: Component, context: ReadContext): Promise<readonly Block[]> {
  const plain = properties.filter(({ name }) => name === "DESCRIPTION").map(textOf);
  const styled = properties.filter(isHtml).map(textOf);
  const hasPlain = plain.some((text) => text.trim() !== "");
  const chosen = styled.filter((html) => !hasPlain || structure.test(html));
  const texts = chosen.length > 0 ? chosen : plain.filter((text) => text.trim() !== "");
  const blocks: Block[] = [];
  for (const text of texts) {
    const isMarkup = chosen.length > 0 || markup.test(text);
    for (const block of isMarkup ? await readHtml(text, context) : plainBlocks(text)) blocks.push(block);
  }
  return blocks;
}

// A list that follows the line that announces it is a block of its own.
function plainBlocks(text: string): readonly Block[] {
  return mailTextBlocks(text.replace(/:[ \t]{0,8}\n(?=[ \t]{0,8}(?:[-*•·]|\d{1,4}[.)])[ \t])/g, ":\n\n"));
}

function isHtml({ name, parameters }: Property): boolean {
  const isStyled = name === "X-ALT-DESC" || name === "STYLED-DESCRIPTION";
  return isStyled && parameters.get("FMTTYPE")?.toLowerCase() === "text/html";
}

async function readHtml(text: string, context: ReadContext): Promise<readonly Block[]> {
  const html = /<(?:br|p|div|html)\b/i.test(text) ? text : text.replaceAll("\n", "<br>");
  const bytes = Buffer.from(html);
  try {
    const { blocks } = await context.readPart({
      bytes,
      fileName: "",
      format: "html",
      isOwnText: true,
      charset: "utf-8",
    });
    return shiftHeadings(blocks, 1);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.warn("The HTML text of a description was not read; it stands as it is.");
    return mailTextBlocks(text);
  }
}

function toAttachment(property: Property): MailAttachment[] {
  if (property.name !== "ATTACH" || !isInline(property)) return [];
  const { parameters, value } = property;
  return [
    {
      name: parameters.get("FILENAME") ?? parameters.get("X-FILENAME") ?? "",
      mediaType: parameters.get("FMTTYPE")?.toLowerCase() ?? "",
      decode: () => decodeTransfer(Buffer.from(value), "base64"),
    },
  ];
}

// Files in a calendar are members of it like those of an archive.
function countFiles(context: ReadContext): ReadContext {
  const { options, budget, depth } = context;
  return {
    options,
    budget,
    depth,
    warn: (sentence) => context.warn(sentence),
    readPart: (part) => {
      budget.takeEntries(1);
      return context.readPart(part);
    },
  };
}
