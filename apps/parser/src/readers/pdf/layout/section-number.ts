/** Depth of a numbered section: 2 for `3.1 Animals`; undefined without a number. */
export function sectionDepth(text: string): number | undefined {
  const match = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s+(?:\|\s+)?\p{L}/u.exec(text);
  return match === null ? undefined : (match[1] as string).split(".").length;
}
