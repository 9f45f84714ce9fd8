/** What a paragraph is, by its style. */
export type ParagraphRole =
  | "body"
  | "title"
  | "quote"
  | "code"
  | "preformatted"
  | "caption"
  | "listText"
  | "toc"
  | "definitionTerm";

const roles: readonly (readonly [RegExp, ParagraphRole])[] = [
  [/^title$/, "title"],
  [/^(?:intense )?quote$|^quotations?$|^block (?:text|quote|quotation)$/, "quote"],
  [/^source code$|^code(?: block)?$|^macro(?: text)?$|^verbatim$/, "code"],
  [/^html preformatted$|^preformatted text$/, "preformatted"],
  [/^(?:table |image |figure )?caption$|^captioned figure$/, "caption"],
  [/^list (?:paragraph|continue(?: \d)?)$/, "listText"],
  [/^toc \d$|^table of figures$/, "toc"],
  [/^definition term$/, "definitionTerm"],
];

/** The role of a paragraph style by its English name in lower case. */
export function roleOfStyle(name: string): ParagraphRole | undefined {
  return roles.find(([pattern]) => pattern.test(name))?.[1];
}

/** The heading level, from 1, that the English name of a style in lower case gives. */
export function headingLevelOfStyle(name: string): number | undefined {
  const named = /^heading ([1-9])$/.exec(name)?.[1];
  if (named !== undefined) return Number(named);
  return name === "toc heading" ? 1 : undefined;
}

const codeRunStyle =
  /^(?:verbatim char|source text|inline code|code(?: char)?|html (?:code|typewriter|keyboard|sample)|source code char)$/;

/** Whether a character style of this English name in lower case sets code. */
export function isCodeStyle(name: string): boolean {
  return codeRunStyle.test(name);
}

const monospaced = /courier|consolas|mono|menlo|monaco|lucida console|inconsolata|source code|fira code/i;

export function isMonospacedFont(font: string): boolean {
  return monospaced.test(font);
}
