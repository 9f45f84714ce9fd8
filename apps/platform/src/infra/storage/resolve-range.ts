import { AppError } from "@attune/service-kit/app-error.ts";
import type { ByteRange } from "./object-store.ts";

/** Bytes from `start` up to but without `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** @throws AppError `STORAGE_RANGE_INVALID` when it begins behind the end, or is no range. */
export function resolveRange(range: ByteRange | undefined, sizeBytes: number): Span {
  if (range === undefined) return { start: 0, end: sizeBytes };
  const { firstByte, lastByte = Infinity } = range;
  if (!isWellFormedRange(range) || firstByte >= sizeBytes) {
    throw new AppError("STORAGE_RANGE_INVALID", { detail: `It has ${sizeBytes} bytes.` });
  }
  return { start: firstByte, end: Math.min(lastByte + 1, sizeBytes) };
}

export function isWellFormedRange({ firstByte, lastByte = firstByte }: ByteRange): boolean {
  return Number.isSafeInteger(firstByte) && firstByte >= 0 && Number.isSafeInteger(lastByte) && lastByte >= firstByte;
}
