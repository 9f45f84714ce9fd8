import type { Scope } from "./scope.ts";

/** A formula without labels, with the author's own macros replaced, so that it can be read alone. */
export function expandFormula(formula: string, { macros, expansion }: Scope): string {
  const clean = formula.replace(/\\(?:label|tag\*?)\{[^{}]{0,200}\}/g, "").trim();
  if (macros.size === 0) return clean;
  return clean.replace(/\\([A-Za-z]{1,60})/g, (whole, name: string) => {
    const body = macros.get(name);
    if (body === undefined || body.length > expansion.lengthLeft) return whole;
    expansion.lengthLeft -= body.length;
    return `{${body}}`;
  });
}
