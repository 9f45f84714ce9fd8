import { AppError } from "@attune/service-kit/app-error.ts";
import { type CompoundStreams, openCompound } from "../../containers/open-compound.ts";
import { type DecryptBlock, openOfficeRc4 } from "../../containers/office-rc4.ts";
import { readPersistDirectory, type PersistDirectory } from "./persist-directory.ts";
import { findRecord, headerBytes, type PptRecord, recordAt, recordType } from "./records.ts";

/** A presentation whose objects can be opened by the numbers under which they persist ([MS-PPT] 2.1.2). */
export interface PresentationFile {
  readonly streams: CompoundStreams;
  /** The body of the document container; undefined when it is lost. */
  readonly document: Buffer | undefined;
  /** The object of this number; undefined when it is missing, or the file claims more bytes than it has. */
  open(persistId: number): PptRecord | undefined;
  /** Slides as they lie in the file, for when the list of slides is lost. */
  scan(): PptRecord[];
}

/** @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`. */
export function openPresentation(bytes: Uint8Array, password: string | undefined): PresentationFile {
  const streams = openCompound(bytes);
  const stream = streams.read("PowerPoint Document");
  if (stream === undefined) throw refusalOf(streams);
  const directory = readPersistDirectory(stream, streams.read("Current User"));
  const { documentId } = directory;
  const decrypt = findDecryption(stream, directory, password);
  const objects = new PersistedObjects(stream, directory, decrypt);
  const persisted = documentId === undefined ? undefined : objects.open(documentId);
  const document = persisted?.type === recordType.document ? persisted : findLast(stream, recordType.document);
  return {
    streams,
    document: document?.body,
    open: (persistId) => objects.open(persistId),
    scan: () => scanFor(stream, recordType.slide),
  };
}

function refusalOf(streams: CompoundStreams): AppError {
  if (streams.read("PP40") === undefined)
    return new AppError("DOCUMENT_CORRUPT", { detail: "It has no stream with a presentation." });
  return new AppError("UNSUPPORTED_FILE_TYPE", {
    detail: "It is a presentation of PowerPoint 95 or older: open it in PowerPoint 97 to 2003 and save it as .pptx.",
  });
}

function findDecryption(
  stream: Buffer,
  { encryptionId, offsets }: PersistDirectory,
  password: string | undefined,
): DecryptBlock | undefined {
  if (encryptionId === undefined) return undefined;
  const session = recordAt(stream, offsets.get(encryptionId) ?? -1);
  return session?.type === recordType.encryption ? openOfficeRc4(session.body, password) : undefined;
}

/**
 * In honest files objects neither overlap nor share their place. In others, a place is opened once, and opening ends when
 * as many bytes were given as the file has twice.
 */
class PersistedObjects {
  readonly #stream: Buffer;
  readonly #offsets: ReadonlyMap<number, number>;
  readonly #decrypt: DecryptBlock | undefined;
  readonly #opened = new Map<number, PptRecord>();
  readonly #places = new Set<number>();
  #bytesLeft: number;

  constructor(stream: Buffer, { offsets }: PersistDirectory, decrypt: DecryptBlock | undefined) {
    this.#stream = stream;
    this.#offsets = offsets;
    this.#decrypt = decrypt;
    this.#bytesLeft = 2 * stream.length;
  }

  open(persistId: number): PptRecord | undefined {
    const known = this.#opened.get(persistId);
    const at = this.#offsets.get(persistId);
    if (known !== undefined || at === undefined || this.#places.has(at)) return known;
    const record = this.#decrypt === undefined ? recordAt(this.#stream, at) : this.#openEncrypted(at, persistId);
    if (record === undefined || record.body.length > this.#bytesLeft) return undefined;
    this.#bytesLeft -= record.body.length + headerBytes;
    this.#places.add(at);
    this.#opened.set(persistId, record);
    return record;
  }

  // Each object is one block, its header included ([MS-PPT] 2.3.7).
  #openEncrypted(at: number, persistId: number): PptRecord | undefined {
    const bytes = this.#stream.subarray(at);
    const header = this.#decrypt?.(bytes.subarray(0, headerBytes), persistId);
    if (header === undefined || header.length < headerBytes) return undefined;
    const length = headerBytes + header.readUInt32LE(4);
    if (length > Math.min(bytes.length, this.#bytesLeft)) return undefined;
    return recordAt(this.#decrypt?.(bytes.subarray(0, length), persistId) ?? header, 0);
  }
}

/** The containers of this type by the bytes of their headers; none of them lies inside another. */
function scanFor(stream: Buffer, type: number): PptRecord[] {
  const header = Buffer.from([0x0f, 0, type & 255, type >> 8]);
  const records: PptRecord[] = [];
  for (let at = stream.indexOf(header); at >= 0;) {
    const record = recordAt(stream, at);
    const isPlausible = record !== undefined && findRecord(record.body, recordType.drawing) !== undefined;
    if (isPlausible) records.push(record);
    at = stream.indexOf(header, isPlausible ? at + headerBytes + record.body.length : at + 1);
  }
  return records;
}

function findLast(stream: Buffer, type: number): PptRecord | undefined {
  const at = stream.lastIndexOf(Buffer.from([0x0f, 0, type & 255, type >> 8]));
  return recordAt(stream, at);
}
