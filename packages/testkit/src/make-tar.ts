export interface TarMember {
  readonly name: string;
  readonly bytes: Uint8Array | string;
  /** Type flag; `0` is a file. */
  readonly type?: string;
  readonly statedSizeBytes?: number;
}

/** A ustar archive for tests; names are cut at 100 bytes. */
export function makeTar(members: readonly TarMember[]): Buffer {
  return Buffer.concat([...members.map(record), Buffer.alloc(1024)]);
}

function record({ name, bytes, type = "0", statedSizeBytes }: TarMember): Buffer {
  const content = Buffer.from(bytes as Uint8Array);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${(statedSizeBytes ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write(type, 156);
  header.write("ustar\x0000", 257);
  header.write("        ", 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
