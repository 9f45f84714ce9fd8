import { constants, inflateRawSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type CompoundStreams, openCompound } from "../../containers/open-compound.ts";
import type { Budget } from "../../limits/budget.ts";
import { openDistributed } from "./open-distributed.ts";

/** The streams of a document of version 5, expanded. */
export interface HwpFile {
  readonly info: Buffer;
  /** The sections of the text in order, each read when it is asked for. */
  readonly sections: Iterable<Buffer>;
  /** A file inside the document by its name, such as a picture. */
  readBinary(name: string): Buffer | undefined;
  readonly properties: CompoundStreams;
}

/** Flags of the header (HWP 5.0, 3.2.1). */
const flags = { compressed: 1, encrypted: 2, distributed: 4, drm: 16, certified: 256 } as const;
const flagsAt = 36;
const maxSections = 10_000;

/** @throws AppError `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`, `LIMIT_EXCEEDED`. */
export function openHwp(bytes: Uint8Array, budget: Budget): HwpFile {
  const streams = openCompound(bytes);
  const header = streams.read("FileHeader");
  const info = streams.read("DocInfo");
  if (header === undefined || header.length < flagsAt + 4 || info === undefined)
    throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no header or no list of its styles." });
  const set = header.readUInt32LE(flagsAt);
  if ((set & (flags.encrypted | flags.drm | flags.certified)) !== 0)
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "It is protected by a password or by rights management." });
  const expand = (stream: Buffer): Buffer => ((set & flags.compressed) === 0 ? stream : inflate(stream, budget));
  const isDistributed = (set & flags.distributed) !== 0;
  return {
    info: expand(info),
    sections: readSections(
      streams,
      (stream) => expand(isDistributed ? openDistributed(stream) : stream),
      isDistributed,
    ),
    readBinary: (name) => {
      const content = streams.readPath(`BinData/${name}`);
      return content && expand(content);
    },
    properties: streams,
  };
}

// Documents for distribution keep their text in a storage of its own, encrypted against change.
function* readSections(
  streams: CompoundStreams,
  open: (stream: Buffer) => Buffer,
  isDistributed: boolean,
): Generator<Buffer, void> {
  const storage = isDistributed ? "ViewText" : "BodyText";
  for (let index = 0; index < maxSections; index++) {
    const stream = streams.readPath(`${storage}/Section${index}`);
    if (stream === undefined) return;
    yield open(stream);
  }
}

function inflate(bytes: Buffer, budget: Budget): Buffer {
  try {
    // A stream cut short still has the text before the cut.
    const expanded = inflateRawSync(bytes, {
      maxOutputLength: Math.max(1, budget.entryAllowanceBytes),
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    budget.takeExpandedBytes(expanded.length);
    return expanded;
  } catch (error) {
    if (error instanceof RangeError)
      throw new AppError("LIMIT_EXCEEDED", { detail: "A stream of it expands too far (PARSER_MAX_ENTRY_MIB)." }, error);
    throw error instanceof AppError
      ? error
      : new AppError("DOCUMENT_CORRUPT", { detail: "One of its streams cannot be expanded." }, error);
  }
}
