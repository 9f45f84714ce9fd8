/** Whether a passage is the title of a list of references. */
export function isReferencesTitle(text: string): boolean {
  return /^(?:\d+\.?\s*)?(?:references(?: and notes)?|reference list|bibliography|literature(?: cited)?|works cited|literatur(?:verzeichnis)?|références|bibliographie|bibliografía|referencias|bibliografia|references?:|参考文献)$/i.test(
    text.trim(),
  );
}
