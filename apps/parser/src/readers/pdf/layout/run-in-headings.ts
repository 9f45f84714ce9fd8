import type { Inline } from "../../../document/document.ts";
import { plainText } from "./compose-inlines.ts";
import { isCaption } from "./headings.ts";
import type { Passage } from "./passage.ts";
import type { PlacedBlock } from "./to-blocks.ts";

const maxWords = 14;
/** Text that must follow a run-in heading, in letters. */
const minRest = 40;
/** Leads in italics are headings only where the document has several of them. */
const minItalicLeads = 3;

/** Parts headings that stand at the beginning of a paragraph (`**Animals.** Rats were …`) from its text. */
export function splitRunIns(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const end = blocks.findIndex((block) => block.kind === "text" && isReferencesTitle(block.text));
  const body = end < 0 ? blocks : blocks.slice(0, end);
  const leads = new Map(body.flatMap((block) => (block.kind === "text" ? leadEntry(block) : [])));
  const italic = [...leads.values()].filter(({ isBold, isNumbered }) => !isBold && !isNumbered).length;
  return blocks.flatMap((block) => {
    const lead = block.kind === "text" ? leads.get(block) : undefined;
    const isHeading = lead !== undefined && (lead.isBold || lead.isNumbered || italic >= minItalicLeads);
    return isHeading ? split(block as Passage, lead) : [block];
  });
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
  const { stressed, after } = cutStress(number === "" ? inlines : inlines.slice(1));
  const [first] = stressed;
  const [next, ...others] = after;
  if (first === undefined || typeof next !== "string") return undefined;
  const isBold = first.type === "strong";
  const { lead, over, isNumbered } = cutNumbered((number + plainText(stressed)).trim());
  if (!isTitle(lead, text) || (over === "" && !isEnded(lead, next, isBold))) return undefined;
  const start: Inline[] = over === "" ? [next.replace(/^[\s.]+/, "")] : [{ type: first.type, inlines: [over] }, next];
  const rest = [...start, ...others].filter((inline) => inline !== "");
  return { text: lead.replace(/[.\s]+$/, ""), isBold, isNumbered, rest };
}

// The inlines of one kind of stress at the beginning, whatever stands within them.
function cutStress(inlines: readonly Inline[]): { stressed: readonly Stress[]; after: readonly Inline[] } {
  const stressed: Stress[] = [];
  for (const inline of inlines) {
    const isMore = isStressed(inline) && (stressed[0] === undefined || stressed[0].type === inline.type);
    if (!isMore) break;
    stressed.push(inline);
  }
  return { stressed, after: inlines.slice(stressed.length) };
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

function isReferencesTitle(text: string): boolean {
  return /^(?:\d+\.?\s*)?(?:references|bibliography|literature cited|works cited|literatur|références|bibliografía)$/i.test(
    text.trim(),
  );
}
