import { hash } from "node:crypto";

export interface SplitRule {
  /** Any text; another one gives another split. */
  readonly seed: string;
  /** Share of the examples that go into validation, 0 to 1. */
  readonly validationFraction: number;
}

/**
 * The side of an example, decided by its content and the seed alone: uploading the data again keeps every example on its
 * side, and duplicates never stand on both. The share is met on average, not exactly.
 */
export function splitOf(contentHash: Uint8Array, { seed, validationFraction }: SplitRule): "train" | "validation" {
  const content = Buffer.from(contentHash).toString("hex");
  const digest = hash("sha256", `${seed}\u{0}${content}`, "buffer");
  // 48 bits, as a number from 0 to 1.
  return digest.readUIntBE(0, 6) / 2 ** 48 < validationFraction ? "validation" : "train";
}
