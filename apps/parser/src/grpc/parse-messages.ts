import type { ParseCall, ParseOutcome } from "../pipeline/parse-call.ts";
import { lengthField, readFields, varintField, type WireField } from "./protobuf-wire.ts";

const stringFields = { 1: "fileUrl", 2: "fileName", 3: "fileType", 4: "parserEngine" } as const;
const overridesField = 5;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Stands for a message that is not a ParseRequest; the library takes undefined for no message at all. */
export const malformedRequest = "malformed";

/** A ParseRequest, unless the bytes are not one: truncated, wrong types, invalid UTF-8. Unknown fields are skipped. */
export function decodeParseRequest(message: Uint8Array): ParseCall | typeof malformedRequest {
  const strings = { fileUrl: "", fileName: "", fileType: "", parserEngine: "" };
  const engineOverrides: Record<string, string> = Object.create(null);
  try {
    for (const field of readFields(message) ?? malformed()) {
      if (field.number in stringFields) strings[stringFields[field.number as 1]] = decodeString(field);
      else if (field.number === overridesField) addOverride(field, engineOverrides);
    }
  } catch {
    return malformedRequest; // TypeError of the decoder, or malformed()
  }
  return { ...strings, engineOverrides };
}

function decodeString({ wireType, bytes }: WireField): string {
  return wireType === 2 ? utf8.decode(bytes) : malformed();
}

// A map entry is a message with the key in field 1 and the value in field 2; the last entry of a key counts.
function addOverride({ wireType, bytes }: WireField, overrides: Record<string, string>): void {
  const entry = (wireType === 2 ? readFields(bytes) : undefined) ?? malformed();
  const valueOf = (number: number): string => {
    const field = entry.findLast((candidate) => candidate.number === number);
    return field === undefined ? "" : decodeString(field);
  };
  overrides[valueOf(1)] = valueOf(2);
}

function malformed(): never {
  throw new TypeError("not a ParseRequest");
}

/** A ParseResponse. The content goes into the message as it is, in one copy. */
export function encodeParseResponse(outcome: ParseOutcome): Buffer {
  const parts = [
    ...varintField(1, outcome.success ? 1 : 0),
    ...(outcome.success ? lengthField(2, outcome.content) : []),
    ...lengthField(3, outcome.message),
    ...varintField(4, outcome.success ? outcome.contentLength : 0),
    ...lengthField(5, outcome.fileType),
    ...lengthField(6, outcome.parserEngine),
  ];
  return Buffer.concat(parts);
}
