import type { ParseCall, ParseOutcome } from "../pipeline/parse-call.ts";
import { lengthField, readFields, varintField, type WireField } from "./protobuf-wire.ts";

const stringFields = { 1: "fileUrl", 2: "fileName", 3: "fileType", 4: "parserEngine" } as const;
const overridesField = 5;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * What a request is read up to, in the process that serves every caller. A message has at most four strings and its overrides;
 * more fields come from newer callers, or from a caller that means to cost time. Passwords and URLs fit into a value.
 */
const limits = { fields: 1024, entries: 256, entryFields: 16, keyBytes: 64, valueBytes: 64 << 10 } as const;

/** Stands for a message that is not a ParseRequest. */
export class MalformedRequest {
  /** What is wrong, a sentence for the caller. */
  readonly detail: string;

  constructor(detail: string) {
    this.detail = detail;
  }
}

/** A ParseRequest, unless the bytes are not one: truncated, wrong types, invalid UTF-8, too much. Unknown fields are skipped. */
export function decodeParseRequest(message: Uint8Array): ParseCall | MalformedRequest {
  const strings = { fileUrl: "", fileName: "", fileType: "", parserEngine: "" };
  const engineOverrides: Record<string, string> = Object.create(null);
  let entries = 0;
  try {
    for (const field of readFields(message, limits.fields)) {
      const name = stringFields[field.number as keyof typeof stringFields];
      if (name !== undefined) {
        strings[name] = decodeString(field, name === "fileUrl" ? message.length : limits.valueBytes);
      } else if (field.number === overridesField) {
        addOverride(field, engineOverrides, ++entries);
      }
    }
  } catch (error) {
    return new MalformedRequest(error instanceof TypeError ? error.message : "");
  }
  return { ...strings, engineOverrides };
}

// A map entry is a message with the key in field 1 and the value in field 2; the last of each counts.
function addOverride({ wireType, bytes }: WireField, overrides: Record<string, string>, entry: number): void {
  if (entry > limits.entries) malformed(`engine_overrides has more than ${limits.entries} entries.`);
  if (wireType !== 2) malformed(wrongType);
  let key = "";
  let value = "";
  for (const field of readFields(bytes, limits.entryFields)) {
    if (field.number === 1) key = decodeString(field, limits.keyBytes);
    else if (field.number === 2) value = decodeString(field, limits.valueBytes);
  }
  overrides[key] = value;
}

const wrongType = "A field has another type than the proto gives it.";

function decodeString({ wireType, bytes }: WireField, maxBytes: number): string {
  if (wireType !== 2) malformed(wrongType);
  if (bytes.length > maxBytes) malformed(`A text is longer than the ${maxBytes} bytes that its field may have.`);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new TypeError("A text is not UTF-8.", { cause: error });
  }
}

function malformed(detail: string): never {
  throw new TypeError(detail);
}

/** The parts of a ParseResponse, in order; the content is among them as it is. */
export function partsOfResponse(outcome: ParseOutcome): readonly Uint8Array[] {
  return [
    ...varintField(1, outcome.success ? 1 : 0),
    ...(outcome.success ? lengthField(2, outcome.content) : []),
    ...lengthField(3, outcome.message),
    ...varintField(4, outcome.success ? outcome.contentLength : 0),
    ...lengthField(5, outcome.fileType),
    ...lengthField(6, outcome.parserEngine),
  ];
}
