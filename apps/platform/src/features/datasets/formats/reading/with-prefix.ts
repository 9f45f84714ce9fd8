/** How much of a file is looked at before it is decided how to read it: enough for the first row of nearly every file. */
const prefixBytes = 1024 * 1024;

interface PrefixedBytes {
  /** The first bytes, up to 1 MiB. */
  readonly prefix: Buffer;
  /** All bytes, those of the prefix included. */
  readonly rest: AsyncIterable<Buffer>;
}

/** Reads ahead, without losing what was read. */
export async function withPrefix(bytes: AsyncIterable<Uint8Array>): Promise<PrefixedBytes> {
  const iterator = bytes[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let length = 0;
  while (length < prefixBytes) {
    const { value, done } = await iterator.next();
    if (done) break;
    pieces.push(Buffer.from(value));
    length += value.length;
  }
  const prefix = Buffer.concat(pieces);
  return { prefix, rest: follow(prefix, iterator) };
}

async function* follow(prefix: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    if (prefix.length > 0) yield prefix;
    for (;;) {
      const { value, done } = await iterator.next();
      if (done) return;
      yield toBuffer(value);
    }
  } finally {
    await iterator.return?.();
  }
}

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
