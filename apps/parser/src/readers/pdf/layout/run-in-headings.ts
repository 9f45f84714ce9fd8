import type { Inline } from "../../../document/document.ts";
import { plainText } from "./compose-inlines.ts";
import { isCaption } from "./caption.ts";
import type { Passage } from "./passage.ts";
import { isReferencesTitle } from "./references-title.ts";
import type { PlacedBlock } from "./to-blocks.ts";

const maxWords = 24;
/** Text that must follow a run-in heading, in letters. */
const minRest = 40;
/** Leads in italics are headings only where the document has several of them. */
const minItalicLeads = 3;

/** Parts headings that stand at the beginning of a paragraph (`**Animals.** Rats were …`) from its text. */
export function splitRunIns(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const end = blocks.findIndex((block) => block.kind === "text" && isReferencesTitle(block.text));
  const body = end < 0 ? blocks : blocks.slice(0, end);
  const all = body.flatMap((block) => (block.kind === "text" ? leadEntry(block) : []));
  const summaryPage = pageOfSummary(all, body);
  const leads = new Map(all.filter(([{ page }]) => page !== summaryPage));
  const italic = [...leads.values()].filter(({ isBold, isNumbered }) => !isBold && !isNumbered).length;
  return blocks.flatMap((block) => {
    const lead = block.kind === "text" ? leads.get(block) : undefined;
    const isHeading = lead !== undefined && (lead.isBold || lead.isNumbered || italic >= minItalicLeads);
    return isHeading ? split(block as Passage, lead) : [block];
  });
}

// A summary at the beginning that names the parts of the text (`Methods. …`), which later have headings of their own, has
// labels and no headings.
function pageOfSummary(leads: readonly [Passage, Lead][], blocks: readonly PlacedBlock[]): number | undefined {
  const first = blocks[0]?.page;
  const names = new Set(leads.filter(([{ page }]) => page === first).map(([, { text }]) => nameOf(text)));
  const isNamed = blocks.some(
    (block) => block.kind === "text" && block.lineCount === 1 && names.has(nameOf(block.text)),
  );
  return isNamed ? first : undefined;
}

function nameOf(title: string): string {
  return title
    .replace(/^[\d.\s|]+/, "")
    .replace(/[\s.:]+$/, "")
    .toLowerCase();
}

interface Lead {
  readonly text: string;
  readonly isBold: boolean;
  readonly isNumbered: boolean;
  readonly rest: readonly Inline[];
}

function leadEntry(passage: Passage): [Passage, Lead][] {
  const lead = leadOf(passage);
  return lead === undefined ? [] : [[passage, lead]];
}

function leadOf({ inlines, text, lineCount, mark }: Passage): Lead | undefined {
  const number = numberBefore(inlines);
  if (lineCount < 2 || (mark !== undefined && number === "") || isCaption(text)) return undefined;
  const { stressed, type, after } = cutStress(number === "" ? inlines : inlines.slice(1));
  const [next, ...others] = after;
  if (stressed.length === 0 || typeof next !== "string") return undefined;
  const isBold = type === "strong";
  const { lead, over, isNumbered } = cutNumbered((number + plainText(stressed)).trim());
  if (!isTitle(lead, text) || (over === "" && !isEnded(lead, next, isBold))) return undefined;
  const start: Inline[] = over === "" ? [next.replace(/^[\s.]+/, "")] : [{ type, inlines: [over] }, next];
  const rest = [...start, ...others].filter((inline) => inline !== "");
  return { text: lead.replace(/[.\s]+$/, ""), isBold, isNumbered, rest };
}

// The inlines of one kind of stress at the beginning, with the indices and signs that stand upright among them.
function cutStress(inlines: readonly Inline[]): {
  stressed: readonly Inline[];
  type: Stress["type"];
  after: readonly Inline[];
} {
  const [first] = inlines;
  const type = isStressed(first) ? first.type : "strong";
  let end = 0;
  for (const [index, inline] of inlines.entries()) {
    if (isStressed(inline) && inline.type === type) end = index + 1;
    else if (end === 0 || !isBetweenStress(inline)) break;
  }
  return { stressed: inlines.slice(0, end), type, after: inlines.slice(end) };
}

function isBetweenStress(inline: Inline): boolean {
  if (typeof inline === "string") return inline.length <= 3 && !/[.:]/.test(inline);
  return inline.type === "superscript" || inline.type === "subscript";
}

// A numbered heading ends with its first sentence; a stressed name after it belongs to the text.
function cutNumbered(whole: string): { lead: string; over: string; isNumbered: boolean } {
  const isNumbered = /^\d+(?:\.\d+)+\.?\s/.test(whole);
  const match = isNumbered ? /^(\d[\d.]*\s[^.]+\.)\s+(.+)$/.exec(whole) : null;
  return { lead: match?.[1] ?? whole, over: match?.[2] ?? "", isNumbered };
}

type Stress = { readonly type: "strong" | "emphasis"; readonly inlines: readonly Inline[] };

function isStressed(inline: Inline | undefined): inline is Stress {
  return inline !== undefined && typeof inline !== "string" && (inline.type === "strong" || inline.type === "emphasis");
}

function isTitle(lead: string, text: string): boolean {
  if (text.length - lead.length < minRest) return false;
  return /^[\d\p{Lu}“"]/u.test(lead) && /\p{L}{3}/u.test(lead) && lead.split(/\s+/).length <= maxWords;
}

// A full stop, in the lead or after it, ends a heading; what is bold may also end where a sentence begins.
function isEnded(lead: string, next: string, isBold: boolean): boolean {
  if (lead.endsWith(".") || /^\s*\./.test(next)) return true;
  return isBold && /^\s*\p{Lu}/u.test(next) && !/[:;,]$/.test(lead);
}

// A number set upright before a lead in italics.
function numberBefore([first]: readonly Inline[]): string {
  return typeof first === "string" && /^\d+(?:\.\d+)+\.?\s*$/.test(first) ? `${first.trim()} ` : "";
}

function split(passage: Passage, { text, isBold, rest }: Lead): Passage[] {
  const look = { ...passage.look, isBold, isItalic: !isBold };
  const { mark: _mark, ...unmarked } = passage;
  const heading: Passage = { ...unmarked, inlines: [text], text, lineCount: 1, look, isRunIn: true };
  return [heading, { ...unmarked, inlines: rest, text: plainText(rest) }];
}
