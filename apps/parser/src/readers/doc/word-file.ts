import { AppError } from "@attune/service-kit/app-error.ts";
import { type CompoundStreams, openCompound } from "../../containers/open-compound.ts";
import { decryptStreams } from "./decrypt-streams.ts";
import { isOldWord } from "./is-old-word.ts";
import { type Fib, type PlaceName, readFib } from "./fib.ts";

/** The streams of a Word document, decrypted, and the block that leads to what is in them. */
export interface WordFile {
  readonly streams: CompoundStreams;
  readonly fib: Fib;
  readonly main: Buffer;
  readonly table: Buffer;
  readonly data: Buffer;
  /** Whether the file ends before its streams do. */
  readonly isCut: boolean;
  /** The bytes of a structure; `undefined` when they lie outside of their stream. */
  find(name: PlaceName): Buffer | undefined;
  /** The bytes from where a structure begins to the end of its stream. */
  findFrom(name: PlaceName): Buffer | undefined;
}

const nothing = Buffer.alloc(0);
const oldWord = "It is a document of Word 1 or 2: open it in LibreOffice and save it as .docx.";

/** @throws AppError `DOCUMENT_CORRUPT`, `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`. */
export function openWordFile(bytes: Uint8Array, password: string | undefined): WordFile {
  if (isOldWord(bytes)) throw new AppError("UNSUPPORTED_FILE_TYPE", { detail: oldWord });
  let isCut = false;
  const streams = openCompound(bytes, { onCut: () => (isCut = true) });
  // Documents inside the document have streams of the same names.
  const read = (name: string): Buffer | undefined => streams.readPath(name) ?? streams.read(name);
  const main = read("WordDocument");
  if (main === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no stream with text of Word." });
  const fib = readFib(main);
  const stored = {
    main,
    table: fib.isWord6 ? main : (read(fib.tableName) ?? nothing),
    data: fib.isWord6 ? main : (read("Data") ?? nothing),
  };
  const opened = fib.isEncrypted ? decryptStreams(stored, fib, password) : stored;
  // What was encrypted holds all of the block but its beginning.
  const openedFib = fib.isEncrypted ? readFib(opened.main) : fib;
  const findFrom: WordFile["findFrom"] = (name) => {
    const { offset, sizeBytes } = openedFib.places[name];
    return sizeBytes === 0 || offset >= opened.table.length ? undefined : opened.table.subarray(offset);
  };
  const find: WordFile["find"] = (name) => {
    const { sizeBytes } = openedFib.places[name];
    const from = findFrom(name);
    return from === undefined || from.length < sizeBytes ? undefined : from.subarray(0, sizeBytes);
  };
  return { streams, fib: openedFib, ...opened, isCut, find, findFrom };
}
