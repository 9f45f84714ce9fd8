import type { Block, Inline } from "../document/document.ts";

const maxQuoteDepth = 20;
// Mail programs break lines between 65 and 78 columns; a line shorter than this was ended by its author.
const wrapColumn = 56;

/** Plain text as people write it in mail: paragraphs, `>` quotes, bulleted and numbered lines, a signature. */
export function mailTextBlocks(text: string): Block[] {
  return toBlocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);
}

function toBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let run: string[] = [];
  let isQuoted = false;
  const end = (): void => {
    if (isQuoted && depth < maxQuoteDepth) {
      const inner = toBlocks(
        run.map((line) => line.replace(/^>[ \t]?/, "")),
        depth + 1,
      );
      if (inner.length > 0) blocks.push({ type: "quote", blocks: inner });
    } else for (const block of paragraphs(run)) blocks.push(block);
    run = [];
  };
  for (const line of lines) {
    const isQuote = line.startsWith(">");
    if (isQuote !== isQuoted) {
      end();
      isQuoted = isQuote;
    }
    run.push(line);
  }
  end();
  return blocks;
}

function paragraphs(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const end = (): void => {
    if (paragraph.length > 0) blocks.push(toBlock(paragraph));
    paragraph = [];
  };
  for (const line of lines) {
    const isSeparator = line.trim() === "" || line === "-- " || line === "--";
    if (isSeparator) end();
    else paragraph.push(line);
  }
  end();
  return blocks;
}

const bullet = /^\s{0,8}[-*•·]\s+(?=\S)/;
const number = /^\s{0,8}(\d{1,4})[.)]\s+(?=\S)/;

function toBlock(lines: readonly string[]): Block {
  return toList(lines, bullet) ?? toList(lines, number) ?? { type: "paragraph", inlines: joinLines(lines) };
}

// A list begins with a mark and has at least two; lines without a mark go on with the item before.
function toList(lines: readonly string[], mark: RegExp): Block | undefined {
  if (!mark.test(lines[0] ?? "") || lines.filter((line) => mark.test(line)).length < 2) return undefined;
  const items: string[][] = [];
  for (const line of lines) {
    if (mark.test(line)) items.push([line.replace(mark, "")]);
    else items.at(-1)?.push(line);
  }
  const start = mark === number ? Number(number.exec(lines[0] ?? "")?.[1] ?? 1) : 1;
  return {
    type: "list",
    ordered: mark === number,
    ...(start !== 1 && { start }),
    items: items.map((item) => ({ blocks: [{ type: "paragraph", inlines: joinLines(item) }] })),
  };
}

function joinLines(lines: readonly string[]): Inline[] {
  const inlines: Inline[] = [];
  let text = "";
  for (const [index, line] of lines.entries()) {
    const trimmed = line.trim().replace(/[ \t]+/g, " ");
    const before = lines[index - 1];
    if (before === undefined) text = trimmed;
    else if (isWrapped(before) && !label.test(line)) text += ` ${trimmed}`;
    else {
      inlines.push(text, { type: "lineBreak" });
      text = trimmed;
    }
  }
  return [...inlines, text];
}

// `Subject: …` and other lines that begin with what they are about.
const label = /^\s*[A-Z][\w/-]*(?: [\w/-]+){0,2}:\s/;

// Addresses and rulers fill lines without being wrapped.
function isWrapped(line: string): boolean {
  return line.trimEnd().length >= wrapColumn && /\S\s+\S/.test(line);
}
