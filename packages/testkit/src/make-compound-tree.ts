const sectorBytes = 512;
/** Streams below this size would lie in a stream of their own. */
const smallestStream = 4096;
const none = 0xffffffff;
const endOfChain = 0xfffffffe;
const tableMark = 0xfffffffd;
const types = { storage: 1, stream: 2, root: 5 } as const;

interface TreeEntry {
  readonly name: string;
  readonly type: number;
  readonly bytes: Buffer;
  readonly children: TreeEntry[];
}

/** A compound file ([MS-CFB] version 3) of streams by their paths, with `/` between storages; short ones are filled up with zeros. */
export function makeCompoundTree(streams: readonly (readonly [path: string, bytes: Buffer])[]): Buffer {
  const root: TreeEntry = { name: "Root Entry", type: types.root, bytes: Buffer.alloc(0), children: [] };
  for (const [path, bytes] of streams) addStream(root, path.split("/"), bytes);
  const entries = listEntries(root);
  const table: number[] = [];
  const sectors: Buffer[] = [];
  const place = (bytes: Buffer): number => {
    const count = Math.max(1, Math.ceil(bytes.length / sectorBytes));
    const start = table.length;
    for (let index = 1; index < count; index++) table.push(start + index);
    table.push(endOfChain);
    sectors.push(bytes, Buffer.alloc(count * sectorBytes - bytes.length));
    return start;
  };
  const starts = new Map(
    entries.filter(({ type }) => type === types.stream).map((entry) => [entry, place(entry.bytes)]),
  );
  const directoryAt = place(Buffer.concat(entries.map((entry) => writeEntry(entry, entries, starts.get(entry)))));
  const tableAt = table.length;
  const tableCount = Math.ceil((table.length + 1) / 127);
  for (let index = 0; index < tableCount; index++) table.push(tableMark);
  const tableBytes = Buffer.alloc(tableCount * sectorBytes, 0xff);
  for (const [index, next] of table.entries()) tableBytes.writeUInt32LE(next, 4 * index);
  return Buffer.concat([writeHeader(directoryAt, tableAt, tableCount), ...sectors, tableBytes]);
}

function addStream(parent: TreeEntry, [name = "", ...rest]: readonly string[], bytes: Buffer): void {
  if (rest.length === 0) {
    const filled = Buffer.concat([bytes, Buffer.alloc(Math.max(0, smallestStream - bytes.length))]);
    parent.children.push({ name, type: types.stream, bytes: filled, children: [] });
    return;
  }
  let storage = parent.children.find((child) => child.name === name);
  if (storage === undefined) {
    storage = { name, type: types.storage, bytes: Buffer.alloc(0), children: [] };
    parent.children.push(storage);
  }
  addStream(storage, rest, bytes);
}

function listEntries(entry: TreeEntry): TreeEntry[] {
  return [entry, ...entry.children.flatMap((child) => listEntries(child))];
}

// The members of a storage hang one to the right of the other.
function writeEntry(entry: TreeEntry, entries: readonly TreeEntry[], start: number | undefined): Buffer {
  const bytes = Buffer.alloc(128);
  const siblings = entries.find(({ children }) => children.includes(entry))?.children ?? [];
  const next = siblings[siblings.indexOf(entry) + 1];
  const [child] = entry.children;
  bytes.write(entry.name, "utf16le");
  bytes.writeUInt16LE(entry.name.length * 2 + 2, 64);
  bytes[66] = entry.type;
  bytes.writeUInt32LE(none, 68);
  bytes.writeUInt32LE(next === undefined ? none : entries.indexOf(next), 72);
  bytes.writeUInt32LE(child === undefined ? none : entries.indexOf(child), 76);
  bytes.writeUInt32LE(start ?? (entry.type === types.root ? endOfChain : 0), 116);
  bytes.writeUInt32LE(entry.bytes.length, 120);
  return bytes;
}

function writeHeader(directoryAt: number, tableAt: number, tableCount: number): Buffer {
  const header = Buffer.alloc(sectorBytes);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    header.writeUInt16LE(value, at);
  header.writeUInt32LE(tableCount, 44);
  header.writeUInt32LE(directoryAt, 48);
  header.writeUInt32LE(smallestStream, 56);
  header.writeUInt32LE(endOfChain, 60);
  header.writeUInt32LE(endOfChain, 68);
  header.fill(0xff, 76);
  for (let index = 0; index < tableCount; index++) header.writeUInt32LE(tableAt + index, 76 + 4 * index);
  return header;
}
