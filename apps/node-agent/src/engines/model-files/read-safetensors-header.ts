import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { isJsonObject, type JsonObject, toFileError } from "./read-model-json.ts";

/** Names of the tensors of a file, with their shapes. */
export type TensorShapes = ReadonlyMap<string, readonly number[]>;

/** As the format's own reader has it (safetensors, MAX_HEADER_SIZE). */
const maxHeaderBytes = 100_000_000;

/** Bits of one element; of a type that is not here only the place is checked. */
const bitsOf: Readonly<Partial<Record<string, number>>> = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  F8_E8M0: 8,
  U16: 16,
  I16: 16,
  F16: 16,
  BF16: 16,
  U32: 32,
  I32: 32,
  F32: 32,
  U64: 64,
  I64: 64,
  F64: 64,
  C64: 64,
};

/**
 * Reads the header of a safetensors file and proves that the file is whole: the tensors follow each other without a gap, have
 * the size of their shape, and end where the file ends. The weights themselves are not read.
 * @throws AppError MODEL_CORRUPT, MODEL_PATH_NOT_FOUND
 */
export async function readSafetensorsHeader(path: string): Promise<TensorShapes> {
  const name = basename(path);
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    return checkTensors(await readHeader(file, size, name), size, name);
  } catch (error) {
    throw toFileError(error, name);
  }
}

interface Header {
  readonly json: JsonObject;
  /** Where the tensors begin. */
  readonly dataStart: number;
}

async function readHeader(file: FileHandle, size: number, name: string): Promise<Header> {
  const length = Number((await readExactly(file, { at: 0, bytes: 8, name })).readBigUInt64LE());
  if (length > maxHeaderBytes || 8 + length > size) {
    throw corrupt(name, `its header says ${length} bytes, and the file has ${size}`);
  }
  const text = (await readExactly(file, { at: 8, bytes: length, name })).toString("utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw corrupt(name, "its header is not JSON");
  }
  if (!isJsonObject(json)) throw corrupt(name, "its header is not a JSON object");
  return { json, dataStart: 8 + length };
}

async function readExactly(
  file: FileHandle,
  { at, bytes, name }: { readonly at: number; readonly bytes: number; readonly name: string },
): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  let done = 0;
  while (done < bytes) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, at + done);
    if (bytesRead === 0) throw corrupt(name, `it ends after ${at + done} bytes, inside its header`);
    done += bytesRead;
  }
  return buffer;
}

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function checkTensors({ json, dataStart }: Header, size: number, name: string): TensorShapes {
  const tensors = Object.entries(json)
    .filter(([key]) => key !== "__metadata__")
    .map(([key, value]) => toTensor(key, value, name))
    .toSorted((a, b) => a.begin - b.begin || a.end - b.end);
  let at = 0;
  for (const tensor of tensors) {
    if (tensor.begin !== at)
      throw corrupt(name, `the tensor ${tensor.name} does not begin where the one before it ends`);
    at = tensor.end;
  }
  if (dataStart + at !== size) {
    throw corrupt(name, `it should have ${dataStart + at} bytes, and has ${size}`);
  }
  return new Map(tensors.map((tensor) => [tensor.name, tensor.shape]));
}

function toTensor(key: string, value: unknown, file: string): Tensor {
  const { dtype, shape, data_offsets: offsets } = isJsonObject(value) ? value : {};
  if (typeof dtype !== "string" || !isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) {
    throw corrupt(file, `the entry of the tensor ${key} is malformed`);
  }
  const [begin = 0, end = 0] = offsets;
  const bits = bitsOf[dtype];
  const elements = shape.reduce((product, side) => product * side, 1);
  if (end < begin || (bits !== undefined && (elements * bits) / 8 !== end - begin)) {
    throw corrupt(file, `the tensor ${key} has ${end - begin} bytes, which does not fit its shape`);
  }
  return { name: key, shape, begin, end };
}

const isCounts = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);

const corrupt = (name: string, why: string): AppError =>
  new AppError("MODEL_CORRUPT", { detail: `${name} is damaged: ${why}.` });
