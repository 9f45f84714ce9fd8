/** The first of these streams of an OLE compound file; undefined when it is none, or damaged. */
export async function findStream(bytes: Uint8Array, names: readonly string[]): Promise<Buffer | undefined> {
  const { CFB } = await import("@e965/xlsx");
  try {
    const file = CFB.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { type: "buffer" });
    for (const name of names) {
      const content = CFB.find(file, name)?.content;
      if (content !== undefined) return Buffer.from(content as Uint8Array);
    }
  } catch {
    return undefined; // not a compound file, or one that cannot be followed
  }
  return undefined;
}
