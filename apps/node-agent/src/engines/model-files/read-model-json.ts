import { open } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";

/** The index of the largest models has a few MB. */
const maxBytes = 64 * 1024 * 1024;

export type JsonObject = Readonly<Record<string, unknown>>;
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A JSON object of a model's folder.
 * @returns undefined when there is no such file
 * @throws AppError MODEL_CORRUPT when it is anything else than a JSON object
 */
export async function readModelJson(path: string): Promise<JsonObject | undefined> {
  const name = basename(path);
  let text: string;
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    if (size > maxBytes) throw new AppError("MODEL_CORRUPT", { detail: `${name} has ${size} bytes.` });
    text = await file.readFile("utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toFileError(error, name);
  }
  const value = parse(text, name);
  if (!isJsonObject(value)) throw new AppError("MODEL_CORRUPT", { detail: `${name} is not a JSON object.` });
  return value;
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("MODEL_CORRUPT", { detail: `${name} is not JSON: ${(error as Error).message}.` }, error);
  }
}

/** A fault of the file system as the reason it stands for; an AppError stays what it is. */
export function toFileError(error: unknown, name: string): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "an unknown fault";
  if (isMissing(error)) return new AppError("MODEL_PATH_NOT_FOUND", { detail: `${name} is missing.` }, error);
  return new AppError("MODEL_PATH_NOT_FOUND", { detail: `${name} cannot be read: ${code}.` }, error);
}
