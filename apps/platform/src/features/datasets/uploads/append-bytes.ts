import type { Readable } from "node:stream";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { DatasetPorts } from "../ports.ts";
import { cutPieces } from "./cut-pieces.ts";
import { getUpload, insertPiece, type UploadAddress, type UploadRow } from "./upload-repo.ts";

/** As many as S3 takes in one request, and few enough for the memory of many uploads at once. */
export const maxPieceBytes = 8 * 2 ** 20;
const sliceBytes = 256 * 1024;

export interface BytesToAppend {
  readonly offset: number;
  /** Where it is told beforehand. */
  readonly contentLength: number | undefined;
  readonly body: Readable;
}

/**
 * Keeps bytes where the upload ends, piece by piece: each is durable, and the upload longer by it, or nothing of it is there. A
 * connection that breaks off keeps what came before. Of two callers at one offset the first is served and the other refused.
 * @throws AppError `DATASET_UPLOAD_OFFSET_WRONG`, `DATASET_UPLOAD_TOO_LONG`, `STORAGE_…`.
 */
export async function appendBytes(
  ports: DatasetPorts,
  address: UploadAddress,
  { offset, contentLength = 0, body }: BytesToAppend,
): Promise<UploadRow> {
  const { queries } = ports.database;
  const upload = await getUpload(queries, address);
  const missing = upload.size - offset;
  if (upload.received !== offset) throw wrongOffset(upload);
  if (contentLength > missing) throw tooLong(upload);
  // One byte more than is missing, so that a body that is too long shows.
  const limits = { pieceBytes: Math.min(maxPieceBytes, missing + 1), stallMs: ports.uploads.stallMs };
  let firstByte = offset;
  for await (const bytes of cutPieces(body, limits)) {
    if (firstByte + bytes.byteLength > upload.size) throw tooLong(upload);
    const isKept = await keepPiece(ports, upload, { firstByte, bytes });
    if (!isKept) throw wrongOffset(await getUpload(queries, address));
    firstByte += bytes.byteLength;
  }
  return getUpload(queries, address);
}

interface NewPiece {
  readonly firstByte: number;
  readonly bytes: Uint8Array;
}

async function keepPiece(
  { database, storage }: DatasetPorts,
  { id: uploadId, tenantId }: UploadRow,
  { firstByte, bytes }: NewPiece,
): Promise<boolean> {
  const sizeBytes = bytes.byteLength;
  const file = {
    tenantId,
    owner: { kind: "dataset_upload", id: uploadId },
    mediaType: "application/octet-stream",
    // In slices, because whoever stores it copies the first one.
    body: slice(bytes),
    expected: { sizeBytes },
  };
  await using staged = await storage.stageFile(file);
  // Awaited here: what was not attached by the end of this function is removed.
  return await database.transaction(async (tx) => {
    const isKept = await insertPiece(tx, { uploadId, firstByte, sizeBytes, fileId: staged.file.id });
    if (isKept) await staged.attach(tx);
    return isKept;
  });
}

async function* slice(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}

function wrongOffset({ received, state }: UploadRow): AppError {
  const detail = state === "open" ? `It goes on at ${received}.` : "It takes no more bytes.";
  const violations = [{ pointer: "/query/offset", message: `must be ${received}` }];
  return new AppError("DATASET_UPLOAD_OFFSET_WRONG", { detail, violations });
}

const tooLong = ({ size }: UploadRow): AppError =>
  new AppError("DATASET_UPLOAD_TOO_LONG", { detail: `The upload was begun for ${size} bytes.` });
