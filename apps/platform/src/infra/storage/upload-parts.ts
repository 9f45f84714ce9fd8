import { AppError } from "@attune/service-kit/app-error.ts";
import { type ExpectedObject, type ObjectBody, partLimits, type UploadedPart } from "./object-store.ts";

/** @throws AppError `STORAGE_UPLOAD_INVALID`. */
export function assertPartNumber(partNumber: number): void {
  if (Number.isInteger(partNumber) && partNumber >= 1 && partNumber <= partLimits.maxCount) return;
  throw new AppError("STORAGE_UPLOAD_INVALID", { detail: `There is no part ${partNumber}.` });
}

/** The body of a part, which ends with `STORAGE_UPLOAD_INVALID` where it becomes too large. */
export async function* limitPart(body: ObjectBody): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > partLimits.maxBytes)
      throw new AppError("STORAGE_UPLOAD_INVALID", { detail: "A part is too large." });
    yield chunk;
  }
}

/**
 * That the parts make a whole: none is missing, as far as the size tells, and only the last is small.
 * @throws AppError `STORAGE_UPLOAD_INVALID`.
 */
export function assertWhole(parts: readonly UploadedPart[], { sizeBytes }: ExpectedObject = {}): void {
  const cameBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const isShort = sizeBytes !== undefined && cameBytes !== sizeBytes;
  const fault = findFault(parts) ?? (isShort ? `${cameBytes} bytes have come, not ${sizeBytes}.` : undefined);
  if (fault !== undefined) throw new AppError("STORAGE_UPLOAD_INVALID", { detail: fault });
}

function findFault(parts: readonly UploadedPart[]): string | undefined {
  if (parts.length === 0) return "No part has come.";
  const gap = parts.findIndex(({ partNumber }, index) => partNumber !== index + 1);
  if (gap >= 0) return `Part ${gap + 1} is missing.`;
  const small = parts.slice(0, -1).find(({ sizeBytes }) => sizeBytes < partLimits.minBytes);
  return small === undefined ? undefined : `Part ${small.partNumber} is too small.`;
}
