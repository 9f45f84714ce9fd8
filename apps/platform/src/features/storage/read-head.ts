/** The beginning of a body, and what follows. */
export interface SplitBody {
  readonly head: Buffer;
  /** Whether nothing follows. */
  readonly isWhole: boolean;
  readonly rest: AsyncIterable<Uint8Array>;
  /** Lets the body go without reading on. */
  discard(): Promise<void>;
}

/** Reads until the body has ended, or more than `limitBytes` have come. */
export async function readHead(body: AsyncGenerator<Uint8Array>, limitBytes: number): Promise<SplitBody> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  let isWhole = false;
  while (!isWhole && sizeBytes <= limitBytes) {
    const next = await body.next();
    if (next.done === true) {
      isWhole = true;
    } else {
      // Whoever sends a body may use its memory again when the next piece is asked for.
      chunks.push(Buffer.from(next.value));
      sizeBytes += next.value.byteLength;
    }
  }
  const discard = async () => void (await body.return(undefined));
  return { head: Buffer.concat(chunks), isWhole, rest: body, discard };
}
