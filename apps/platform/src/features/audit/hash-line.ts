import { createHash } from "node:crypto";
import type { operationLogs } from "./tables.ts";

export type LogLine = Omit<typeof operationLogs.$inferSelect, "hash">;

/** What the first line of a chain follows. */
export const emptyHash = Buffer.alloc(32);

/** SHA-256 over the hash of the line before and the line's fields as JSON, names in order, the time in ISO 8601. */
export function hashLine(before: Buffer, line: LogLine): Buffer {
  return createHash("sha256").update(before).update(toCanonicalJson(line)).digest();
}

// PostgreSQL gives the keys of a jsonb value back in an order of its own.
function toCanonicalJson(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (Array.isArray(value)) return `[${value.map((item) => toCanonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
