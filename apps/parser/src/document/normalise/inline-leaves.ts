import type { Inline } from "../document.ts";
import { cleanText, normaliseLine, normaliseVerbatimLine } from "./normalise-text.ts";

/** Something that a stretch of inlines has: a style, or a place it links to. */
export type Mark =
  | { readonly key: string; readonly type: "strong" | "emphasis" | "superscript" | "subscript" }
  | { readonly key: string; readonly type: "link"; readonly target: string };

type Atom = Exclude<Inline, string | { readonly inlines: readonly Inline[] } | { readonly type: "lineBreak" }>;

/** A piece of the inlines that nothing nests in, with all marks around it, outermost first, none twice. */
export type Leaf = { readonly marks: readonly Mark[] } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "atom"; readonly atom: Atom }
);

interface Frame {
  readonly inlines: readonly Inline[];
  readonly marks: readonly Mark[];
  next: number;
}

/** The leaves in order, their text clean but white space untouched; neighbours of the same marks joined. Any depth. */
export function listLeaves(inlines: readonly Inline[]): Leaf[] {
  const list: LeafList = { leaves: [], texts: [], marks: [] };
  const stack: Frame[] = [{ inlines, marks: [], next: 0 }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const inline = frame.inlines[frame.next++];
    if (inline === undefined) stack.pop();
    else if (typeof inline !== "string" && "inlines" in inline)
      stack.push({ inlines: inline.inlines, marks: withMark(frame.marks, markOf(inline)), next: 0 });
    else addLeaf(list, toLeaf(inline, frame.marks));
  }
  endText(list);
  return list.leaves;
}

function markOf(inline: Extract<Inline, { readonly inlines: readonly Inline[] }>): Mark {
  if (inline.type !== "link") return { key: inline.type, type: inline.type };
  const target = normaliseVerbatimLine(inline.target).trim();
  return { key: `link ${target}`, type: "link", target };
}

// A style within itself says nothing more, and links do not nest; the outer one counts.
function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  const isRedundant = marks.some(({ key, type }) => key === mark.key || (type === "link" && mark.type === "link"));
  const isNowhere = mark.type === "link" && mark.target === "";
  return isRedundant || isNowhere ? marks : [...marks, mark];
}

function toLeaf(
  inline: Exclude<Inline, { readonly inlines: readonly Inline[] }>,
  marks: readonly Mark[],
): Leaf | undefined {
  if (typeof inline === "string") return textLeaf(cleanText(inline), marks);
  switch (inline.type) {
    case "lineBreak":
      return { kind: "break", marks };
    case "code": {
      const text = normaliseVerbatimLine(inline.text);
      return text.trim() === "" ? textLeaf(text, marks) : { kind: "atom", marks, atom: { ...inline, text } };
    }
    case "formula": {
      const text = normaliseFormula(inline.text);
      return text === "" ? undefined : { kind: "atom", marks, atom: { ...inline, text } };
    }
    case "image":
      return { kind: "atom", marks, atom: { ...inline, alt: normaliseLine(inline.alt) } };
    case "noteReference":
    default: // references show themselves raised
      if (normaliseLine(inline.id) === "") return undefined;
      return { kind: "atom", marks: marks.filter(({ type }) => type !== "superscript"), atom: inline };
  }
}

function textLeaf(text: string, marks: readonly Mark[]): Leaf | undefined {
  return text === "" ? undefined : { kind: "text", text, marks };
}

/** One line of a formula; a backslash left over at the end, which was a space, would escape what follows. */
export function normaliseFormula(text: string): string {
  const line = normaliseVerbatimLine(text).trim();
  return line.replace(/(?<!\\)((?:\\\\)*)\\$/, "$1").trim();
}

interface LeafList {
  readonly leaves: Leaf[];
  /** Texts of the same marks that follow the leaves, to be joined when the last has come: joined one by one, each is copied again. */
  texts: string[];
  marks: readonly Mark[];
}

function addLeaf(list: LeafList, leaf: Leaf | undefined): void {
  if (leaf === undefined) return;
  if (leaf.kind === "text") {
    if (!hasSameMarks(list, leaf)) endText(list);
    list.texts.push(leaf.text);
    list.marks = leaf.marks;
    return;
  }
  endText(list);
  const previous = list.leaves.at(-1);
  const joined = previous !== undefined && hasSameMarks(previous, leaf) ? join(previous, leaf) : undefined;
  if (joined === undefined) list.leaves.push(leaf);
  else list.leaves[list.leaves.length - 1] = joined;
}

// Runs of one style that an editor broke up.
function endText(list: LeafList): void {
  const [first, ...others] = list.texts;
  if (first === undefined) return;
  const text = others.length === 0 ? first : cleanText(list.texts.join(""));
  if (text !== "") list.leaves.push({ kind: "text", text, marks: list.marks });
  list.texts = [];
}

// Formulas keep a space, so that `\alpha` and `b` stay two.
function join(a: Leaf, b: Leaf): Leaf | undefined {
  if (a.kind !== "atom" || b.kind !== "atom") return undefined;
  const first = a.atom;
  const second = b.atom;
  if (first.type === "code" && second.type === "code")
    return { ...a, atom: { ...first, text: first.text + second.text } };
  if (first.type !== "formula" || second.type !== "formula" || first.notation !== second.notation) return undefined;
  return { ...a, atom: { ...first, text: `${first.text} ${second.text}` } };
}

type Marked = { readonly marks: readonly Mark[] };

export function hasSameMarks(a: Marked, b: Marked): boolean {
  return (
    a.marks === b.marks ||
    (a.marks.length === b.marks.length && sharedMarks(a.marks, b.marks).length === a.marks.length)
  );
}

export function sharedMarks(a: readonly Mark[], b: readonly Mark[]): readonly Mark[] {
  return a === b ? a : a.filter(({ key }) => b.some((other) => other.key === key));
}
