// English names in lower case, by the number that a style has in every language ([MS-DOC] 2.9.260), of those that say
// something about structure.
const names: ReadonlyMap<number, string> = new Map([
  ...Array.from({ length: 9 }, (_, index) => [1 + index, `heading ${index + 1}`] as const),
  ...Array.from({ length: 9 }, (_, index) => [19 + index, `toc ${index + 1}`] as const),
  [34, "caption"],
  [35, "table of figures"],
  [45, "macro"],
  // Of a table of authorities; LibreOffice gives it to tables of contents.
  [46, "toc heading"],
  [62, "title"],
  [68, "list continue"],
  ...Array.from({ length: 4 }, (_, index) => [69 + index, `list continue ${index + 2}`] as const),
  [84, "block text"],
  [98, "html code"],
  [100, "html keyboard"],
  [101, "html preformatted"],
  [102, "html sample"],
  [103, "html typewriter"],
  [179, "list paragraph"],
  [180, "quote"],
  [181, "intense quote"],
  [266, "toc heading"],
]);

/** The English name of a built-in style; undefined for others, whose own names count. */
export function builtinStyleName(number: number): string | undefined {
  return names.get(number);
}
