import { numberAt, recordAt, recordsIn, recordType } from "./records.ts";

/** Where the objects of a presentation lie in its stream. */
export interface PersistDirectory {
  readonly offsets: ReadonlyMap<number, number>;
  readonly documentId: number | undefined;
  /** The object that describes the encryption. */
  readonly encryptionId: number | undefined;
}

/** `offsetToCurrentEdit` of the `CurrentUserAtom` ([MS-PPT] 2.3.2), after the header of the record. */
const currentEditAt = 16;
const lastEditAt = 8;
const directoryOffsetAt = 12;
const documentIdAt = 16;
const encryptionIdAt = 28;

/**
 * Follows the edits of a presentation from the last to the first, as [MS-PPT] 2.1.2 has it; of several places of an object,
 * the one of the latest edit counts. A file whose edits cannot be followed has an empty directory.
 */
export function readPersistDirectory(stream: Buffer, currentUser: Buffer | undefined): PersistDirectory {
  const stated = numberAt(currentUser, currentEditAt) ?? -1;
  const latest = recordAt(stream, stated)?.type === recordType.userEdit ? stated : findLastEdit(stream);
  const edit = recordAt(stream, latest)?.body;
  return {
    offsets: followEdits(stream, latest),
    documentId: numberAt(edit, documentIdAt),
    encryptionId: numberAt(edit, encryptionIdAt),
  };
}

function followEdits(stream: Buffer, latest: number): Map<number, number> {
  const offsets = new Map<number, number>();
  const visited = new Set<number>();
  // Directories of honest files do not overlap.
  let bytesLeft = stream.length;
  for (let at = latest; !visited.has(at);) {
    visited.add(at);
    const edit = recordAt(stream, at);
    if (edit?.type !== recordType.userEdit) break;
    const directory = recordAt(stream, numberAt(edit.body, directoryOffsetAt) ?? -1);
    if (directory?.type === recordType.persistDirectory && directory.body.length <= bytesLeft) {
      bytesLeft -= directory.body.length;
      addEntries(directory.body, offsets);
    }
    at = numberAt(edit.body, lastEditAt) ?? 0;
  }
  return offsets;
}

// Runs of objects with numbers in a row: 20 bits of first number, 12 bits of count ([MS-PPT] 2.3.5).
function addEntries(directory: Buffer, offsets: Map<number, number>): void {
  for (let at = 0; at + 4 <= directory.length;) {
    const run = directory.readUInt32LE(at);
    const [first, count] = [run & 0xfffff, run >>> 20];
    at += 4;
    for (let index = 0; index < count && at + 4 <= directory.length; index++, at += 4) {
      if (!offsets.has(first + index)) offsets.set(first + index, directory.readUInt32LE(at));
    }
  }
}

function findLastEdit(stream: Buffer): number {
  let at = 0;
  let found = -1;
  for (const record of recordsIn(stream)) {
    if (record.type === recordType.userEdit) found = at;
    at += 8 + record.body.length;
  }
  return found;
}
