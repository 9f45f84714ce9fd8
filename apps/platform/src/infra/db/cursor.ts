import { AppError } from "@attune/service-kit/app-error.ts";

/** The place after the last record of a page, opaque to callers. */
export const toCursor = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString("base64url");

/** @throws AppError REQUEST_INVALID for what was never a cursor with so many values. */
export function fromCursor(cursor: string | undefined, length: number): readonly (string | number)[] | undefined {
  if (cursor === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const isOurs = (value: unknown): value is string | number =>
      (typeof value === "string" && !value.includes("\0")) || Number.isSafeInteger(value);
    if (Array.isArray(values) && values.length === length && values.every(isOurs)) return values;
  } catch {
    // Told below, like every other text that is no cursor.
  }
  throw wrongCursor();
}

/** The id that a cursor of a list holds. @throws AppError `REQUEST_INVALID`. */
export function toId(value: unknown): string {
  if (typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)) return value;
  throw wrongCursor();
}

/** The number below `limit` that a cursor of a list holds. @throws AppError `REQUEST_INVALID`. */
export function toNumber(value: unknown, limit: number = 2 ** 31): number {
  if (typeof value === "number" && value >= 0 && value < limit) return value;
  throw wrongCursor();
}

const wrongCursor = (): AppError =>
  new AppError("REQUEST_INVALID", {
    violations: [{ pointer: "/query/cursor", message: "is not the next_cursor of a page of this list" }],
  });

export interface Page<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** Cuts what was read with one record more than the limit into a page and the cursor of the next one. */
export function toPage<T>(
  rows: readonly T[],
  limit: number,
  placeOf: (last: T) => readonly (string | number)[],
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? toCursor(placeOf(last)) : null };
}
