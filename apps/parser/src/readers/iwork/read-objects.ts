import { AppError } from "@attune/service-kit/app-error.ts";
import { GrowingBytes } from "../../limits/growing-bytes.ts";
import type { Budget } from "../../limits/budget.ts";
import { expandSnappy, readVarint } from "./expand-snappy.ts";
import { type MessageField, readFields } from "./read-fields.ts";

/** One object of a document: a message of Protocol Buffers whose type only a number tells. */
export interface IworkObject {
  readonly id: number;
  readonly type: number;
  readonly body: Buffer;
  /** The part of the package that it lies in, without folders and extension. */
  readonly part: string;
}

const chunkHeaderBytes = 4;
const maxObjects = 1_000_000;

/**
 * The objects of one part (`.iwa`): chunks of Snappy, and in what they expand to the objects one after another, each after
 * a message that says its number, its type and its length.
 * @throws AppError `DOCUMENT_CORRUPT`, `LIMIT_EXCEEDED`.
 */
export function readObjects(part: { readonly name: string; readonly bytes: Buffer }, budget: Budget): IworkObject[] {
  const stream = expandPart(part.bytes, budget);
  const objects: IworkObject[] = [];
  for (let at = 0; at < stream.length;) {
    const { value: length, end } = readVarint(stream, at);
    const fields = readFields(stream.subarray(end, end + length));
    if (fields === undefined || objects.length > maxObjects) throw corrupt();
    const id = numberIn(fields, 1);
    at = end + length;
    // Of several messages of one object the first is the object itself, the others are what was merged into it.
    for (const message of messagesIn(fields)) {
      const size = numberIn(message, 3);
      objects.push({ id, type: numberIn(message, 1), body: stream.subarray(at, at + size), part: part.name });
      at += size;
    }
  }
  return objects;
}

function messagesIn(fields: readonly MessageField[]): MessageField[][] {
  return fields.flatMap(({ field, bytes }) => (field === 2 && bytes !== undefined ? [readFields(bytes) ?? []] : []));
}

function numberIn(fields: readonly MessageField[], wanted: number): number {
  return fields.find(({ field }) => field === wanted)?.value ?? 0;
}

function expandPart(bytes: Buffer, budget: Budget): Buffer {
  const expanded = new GrowingBytes(bytes.length);
  for (let at = 0; at + chunkHeaderBytes <= bytes.length;) {
    const end = at + chunkHeaderBytes + bytes.readUIntLE(at + 1, 3);
    const chunk = expandSnappy(bytes.subarray(at + chunkHeaderBytes, end));
    budget.takeExpandedBytes(chunk.length);
    expanded.append(chunk);
    at = end;
  }
  return Buffer.from(expanded.take());
}

function corrupt(): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: "One of its parts has no objects that can be told apart." });
}
