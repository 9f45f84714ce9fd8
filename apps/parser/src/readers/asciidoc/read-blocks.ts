import type { Block } from "../../document/document.ts";
import { indentOf } from "../../text/indented-lines.ts";
import { addAttributeLine, isAttributeLine } from "./block-attributes.ts";
import { readDelimited } from "./read-delimited.ts";
import { imageAlt, readInlines } from "./read-inlines.ts";
import { isListLine, readList } from "./read-lists.ts";
import { readTable } from "./read-table.ts";
import { admonitions, readAdmonition, readQuote, readSource, titleBlock } from "./styled-blocks.ts";
import { type BlockAttributes, type Cursor, maxDepth, noAttributes, type Scope, type Taken } from "./scope.ts";

const section = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/;
const attributeEntry = /^:(!?[A-Za-z0-9_][\w-]{0,80}!?):(?:[ \t]+(.*))?$/;
const blockMacro = /^(image|video|audio|toc|include)::([^[\n]{0,1000})\[(.{0,2000})\]\s*$/;
const directive = /^(?:ifdef|ifndef|ifeval|endif)::[^[]{0,2000}\[.{0,2000}\]\s*$/;

/** Blocks of a document, or of what stands inside a block. */
export function readBlocks(lines: readonly string[], scope: Scope): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  let attributes = noAttributes;
  while (at < lines.length) {
    const line = lines[at] as string;
    if (isSilent(line, scope)) {
      if (line.trim() === "") attributes = { ...noAttributes, title: undefined };
      at++;
      continue;
    }
    if (isAttributeLine(line)) {
      attributes = addAttributeLine(line, attributes);
      at++;
      continue;
    }
    const taken = readBlock({ lines, at }, attributes, scope);
    for (const block of taken.blocks) blocks.push(block);
    at += Math.max(1, taken.lineCount);
    attributes = noAttributes;
  }
  return blocks;
}

// Blank lines, comments, conditions and definitions of attributes; the latter take effect.
function isSilent(line: string, { attributes }: Scope): boolean {
  if (line.trim() === "" || directive.test(line)) return true;
  if (line.startsWith("//") && !line.startsWith("////")) return true;
  const entry = attributeEntry.exec(line.slice(0, 2000));
  if (entry !== null) attributes.set((entry[1] ?? "").replaceAll("!", "").toLowerCase(), entry[2]?.trim() ?? "");
  return entry !== null || /^(?:'{3,}|<<<|\*\*\*|---)$/.test(line.trim());
}

type BlockRule = (cursor: Cursor, attributes: BlockAttributes, scope: Scope) => Taken | undefined;

function readBlock(cursor: Cursor, attributes: BlockAttributes, scope: Scope): Taken {
  const rules = scope.depth > maxDepth ? [readParagraph] : allRules;
  for (const rule of rules) {
    const taken = rule(cursor, attributes, scope);
    if (taken !== undefined) return taken;
  }
  return { blocks: [], lineCount: 1 };
}

const readSection: BlockRule = ({ lines, at }, _attributes, scope) => {
  const [, signs = "", title = ""] = section.exec(lines[at] ?? "") ?? [];
  if (signs === "") return undefined;
  const text = title.replace(/(?<![ \t])[ \t]+[=#]+$/, "");
  return { blocks: [{ type: "heading", level: signs.length, inlines: readInlines(text, scope) }], lineCount: 1 };
};

const readMacro: BlockRule = ({ lines, at }, attributes, scope) => {
  const match = blockMacro.exec(lines[at] ?? "");
  if (match === null) return undefined;
  const [, name, target = "", content = ""] = match;
  if (name === "include") scope.context.warn("The text includes another file, which is not read.");
  if (name !== "image") return { blocks: [], lineCount: 1 };
  const caption = attributes.title === undefined ? {} : { caption: readInlines(attributes.title, scope) };
  return { blocks: [{ type: "image", alt: imageAlt(content), reference: target.trim(), ...caption }], lineCount: 1 };
};

const readListBlock: BlockRule = (cursor, attributes, scope) => {
  if (!isListLine(cursor.lines[cursor.at] ?? "")) return undefined;
  const { blocks, lineCount } = readList(cursor, scope, readBlock);
  return { blocks: [...titleBlock(attributes, scope), ...blocks], lineCount };
};

const readLiteral: BlockRule = ({ lines, at }) => {
  if (indentOf(lines[at] ?? "") === 0) return undefined;
  let end = at;
  while (end < lines.length && (lines[end] as string).trim() !== "") end++;
  return {
    blocks: [
      {
        type: "code",
        text: lines
          .slice(at, end)
          .map((line) => line.replace(/^\s/, ""))
          .join("\n"),
      },
    ],
    lineCount: end - at,
  };
};

const readParagraph: BlockRule = ({ lines, at }, attributes, scope) => {
  let end = at + 1;
  while (end < lines.length && !endsParagraph(lines[end] as string)) end++;
  const own = lines.slice(at, end);
  const lineCount = end - at;
  if (/^(?:source|listing|literal)$/.test(attributes.style))
    return { blocks: readSource(own, attributes, scope), lineCount };
  if (attributes.style === "quote" || attributes.style === "verse")
    return { blocks: readQuote(own, attributes, scope), lineCount };
  const [, label, first] = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(.*)$/.exec(own[0] ?? "") ?? [];
  const style = label ?? attributes.style;
  if (admonitions.has(style))
    return { blocks: readAdmonition(style, [first ?? own[0] ?? "", ...own.slice(1)], scope), lineCount };
  return {
    blocks: [...titleBlock(attributes, scope), { type: "paragraph", inlines: readInlines(joinText(own), scope) }],
    lineCount,
  };
};

function endsParagraph(line: string): boolean {
  return (
    line.trim() === "" ||
    line.trim() === "+" ||
    /^(?:\/\/|\|={3,}$|-{4,}$|={4,}$|\.{4,}$|_{4,}$|\*{4,}$|\+{4,}$|```)/.test(line) ||
    (isAttributeLine(line) && line.startsWith("["))
  );
}

// ` +` at the end of a line breaks it; a line separator keeps the place until inlines are read.
function joinText(lines: readonly string[]): string {
  return lines
    .map((line, index) => {
      const text = line.trim();
      return index === lines.length - 1 ? text : text.endsWith(" +") ? `${text}\u2028` : `${text} `;
    })
    .join("");
}

const allRules: readonly BlockRule[] = [
  readDelimited,
  readTable,
  readSection,
  readMacro,
  readListBlock,
  readLiteral,
  readParagraph,
];
