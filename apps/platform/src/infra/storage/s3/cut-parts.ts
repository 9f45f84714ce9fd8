export interface BodyPart {
  readonly partNumber: number;
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** Largest size of an object over the number of parts that S3 takes, rounded up to have some left. */
const partsPlanned = 9_000;
/** Parts of one size, before they grow. */
const partsPerSize = 1_000;

/**
 * Joins pieces to parts of `partBytes`, the last one smaller and, of an empty body, empty. Of a body of unknown size they grow
 * every 1,000 parts, so that 10,000 of them hold 430 GiB and not 78.
 */
export async function* cutParts(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
  sizeBytes?: number,
): AsyncGenerator<BodyPart> {
  const planned = sizeBytes === undefined ? undefined : Math.max(partBytes, Math.ceil(sizeBytes / partsPlanned));
  const limitOf = (number: number) => planned ?? partBytes * (1 + Math.floor((number - 1) / partsPerSize));
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let partNumber = 1;
  for await (const chunk of chunks) {
    let rest = chunk;
    // A full part waits until more comes, because the last one is told apart.
    while (heldBytes + rest.byteLength > limitOf(partNumber)) {
      const takenBytes = limitOf(partNumber) - heldBytes;
      held.push(rest.subarray(0, takenBytes));
      yield { partNumber, bytes: Buffer.concat(held), isLast: false };
      held = [];
      heldBytes = 0;
      partNumber++;
      rest = rest.subarray(takenBytes);
    }
    // Whoever sends a body may use its memory again when the next piece is asked for.
    held.push(Buffer.from(rest));
    heldBytes += rest.byteLength;
  }
  yield { partNumber, bytes: Buffer.concat(held), isLast: true };
}
