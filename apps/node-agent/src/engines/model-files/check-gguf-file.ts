import { open } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { toFileError } from "./read-model-json.ts";

/** Magic, version, and the numbers of tensors and of keys. */
const headerBytes = 24;

/**
 * Looks whether a file begins as a GGUF file of version 2 or 3 does.
 * @throws AppError MODEL_PATH_NOT_FOUND, MODEL_CORRUPT, MODEL_UNSUPPORTED
 */
export async function checkGgufFile(path: string): Promise<void> {
  const name = basename(path);
  try {
    await using file = await open(path, "r");
    const stat = await file.stat();
    if (stat.isDirectory())
      throw new AppError("MODEL_UNSUPPORTED", { detail: `${name} is a folder, not a GGUF file.` });
    const header = Buffer.alloc(headerBytes);
    const { bytesRead } = await file.read(header, 0, headerBytes, 0);
    if (header.toString("latin1", 0, 4) !== "GGUF") {
      throw new AppError("MODEL_CORRUPT", { detail: `${name} does not begin as a GGUF file does.` });
    }
    if (bytesRead < headerBytes) throw new AppError("MODEL_CORRUPT", { detail: `${name} ends inside its header.` });
    checkHeader(header, stat.size, name);
  } catch (error) {
    throw toFileError(error, name);
  }
}

function checkHeader(header: Buffer, size: number, name: string): void {
  const version = header.readUInt32LE(4);
  if (version < 2 || version > 3) {
    throw new AppError("MODEL_UNSUPPORTED", { detail: `${name} has the GGUF version ${version}; 2 and 3 are known.` });
  }
  // Every tensor and every key takes more than 16 bytes of the file.
  const entries = header.readBigUInt64LE(8) + header.readBigUInt64LE(16);
  if (entries * 16n > BigInt(size)) {
    throw new AppError("MODEL_CORRUPT", { detail: `${name} is shorter than its header says.` });
  }
}
