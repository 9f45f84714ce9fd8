import { type MessageField, readFields } from "./read-fields.ts";

/** Messages inside messages deeper than this hold no text. */
const maxDepth = 12;

/** Numbers of the objects that a message refers to, in the order of the file: messages whose only field is such a number. */
export function findReferences(body: Buffer, isObject: (id: number) => boolean, depth = 0): number[] {
  const found: number[] = [];
  for (const { bytes } of readFields(body) ?? []) {
    if (bytes === undefined || bytes.length === 0) continue;
    const id = referenceIn(readFields(bytes));
    if (id !== undefined && isObject(id)) found.push(id);
    else if (depth < maxDepth) for (const inner of findReferences(bytes, isObject, depth + 1)) found.push(inner);
  }
  return found;
}

function referenceIn(fields: readonly MessageField[] | undefined): number | undefined {
  const [only] = fields ?? [];
  return fields?.length === 1 && only?.field === 1 ? only.value : undefined;
}

/** The objects that these fields of a message refer to. */
export function referencesOf(body: Buffer | undefined, field: number): number[] {
  return (body === undefined ? [] : (readFields(body) ?? [])).flatMap((entry) => {
    const id = entry.field === field && entry.bytes !== undefined ? referenceIn(readFields(entry.bytes)) : undefined;
    return id === undefined ? [] : [id];
  });
}

/** The message in a field of another one. */
export function messageIn(body: Buffer | undefined, field: number): Buffer | undefined {
  return body === undefined ? undefined : readFields(body)?.find((entry) => entry.field === field)?.bytes;
}
