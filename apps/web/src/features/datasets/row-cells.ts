/** More columns than these cannot be read side by side. */
const maxColumns = 6;
/** A longer row is shown by its beginning: to take it apart for a glance costs too much. */
const maxLength = 50_000;
const shownLength = 300;

/** Names of the fields of rows, in the order in which they appear, at most six. */
export function columnsOf(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => Object.keys(parseFields(text) ?? {}));
  return [...new Set(names)].slice(0, maxColumns);
}

/**
 * The fields of a row as one line each, in the order of `columns`, and after them those without a column; undefined when the
 * row is no JSON object or too long.
 */
export function cellsOf(text: string, columns: readonly string[]): readonly string[] | undefined {
  const fields = parseFields(text);
  if (fields === undefined || columns.length === 0) return undefined;
  const others = Object.entries(fields).filter(([name]) => !columns.includes(name));
  const cells = columns.map((name) => (Object.hasOwn(fields, name) ? toLine(fields[name]) : ""));
  return others.length === 0 ? cells : [...cells, toLine(Object.fromEntries(others))];
}

function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.length > maxLength) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function toLine(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, shownLength).replaceAll(/\s+/g, " ");
}
