import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ObjectDigest, ObjectStore, ObjectUpload, UploadedPart } from "../object-store.ts";
import { readBody } from "../read-body.ts";
import { assertPartNumber, assertWhole, limitPart } from "../upload-parts.ts";
import { syncFolder } from "@attune/service-kit/disk/sync-folder.ts";
import type { StoreFolders } from "./folders.ts";
import { toObjectPath } from "./key-path.ts";
import type { TemporaryFile, TemporaryFiles } from "./temporary-files.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk, toFilesystemError } from "./to-filesystem-error.ts";

interface UploadDeps {
  readonly folders: StoreFolders;
  readonly temporary: TemporaryFiles;
}

type Uploads = Pick<ObjectStore, "createUpload" | "putPart" | "listParts" | "abortUpload" | "completeUpload">;

/** Each upload is a folder: the key it is for, and one file for each part. */
export function createUploads({ folders, temporary }: UploadDeps): Uploads {
  const folderOf = ({ uploadId }: ObjectUpload) => join(folders.uploads, assertUploadId(uploadId));
  const listParts = (upload: ObjectUpload) => readParts(folderOf(upload), upload);
  return {
    createUpload: async (key) => {
      const upload = { key, uploadId: randomUUID() };
      await onDisk(() => makeUploadFolder(folders, upload));
      return upload;
    },
    putPart: async (upload, { partNumber, body, expected }, signal) => {
      assertPartNumber(partNumber);
      const folder = folderOf(upload);
      await assertUpload(folder, upload);
      return temporary.write(readBody(limitPart(body), expected, signal), async ({ path, content }) => {
        await rename(path, join(folder, toPartName(partNumber))).catch(toUploadError);
        await onDisk(() => syncFolder(folder));
        return { partNumber, sizeBytes: content.sizeBytes };
      });
    },
    listParts,
    completeUpload: async (upload, { expected, signal } = {}) => {
      const parts = await listParts(upload);
      assertWhole(parts, expected);
      const folder = folderOf(upload);
      const reader = readBody(joinParts(folder, parts), expected, signal);
      const publish = async ({ path, content }: TemporaryFile<ObjectDigest>) => {
        await folders.publish(path, toObjectPath(folders.objects, upload.key));
        return content;
      };
      const digest = await temporary.write(reader, publish).catch(async (error: unknown) => {
        if (error instanceof AppError && error.reason === "STORAGE_CHECKSUM_MISMATCH") await removeUpload(folder);
        throw error;
      });
      // The object is there; what is left of the upload, the sweep takes.
      await removeUpload(folder).catch(() => {});
      return digest;
    },
    abortUpload: async (upload) => {
      await removeUpload(folderOf(upload));
      await onDisk(() => syncFolder(folders.uploads));
    },
  };
}

const removeUpload = (folder: string): Promise<void> => onDisk(() => rm(folder, { recursive: true, force: true }));

async function makeUploadFolder({ uploads }: StoreFolders, { key, uploadId }: ObjectUpload): Promise<void> {
  const folder = join(uploads, uploadId);
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, keyFile), JSON.stringify({ key }), { flush: true, mode: 0o600 });
  await syncFolder(folder);
  await syncFolder(uploads);
}

const keyFile = "upload.json";
const toPartName = (partNumber: number): string => `part-${String(partNumber).padStart(5, "0")}`;

// It becomes the name of a folder.
function assertUploadId(uploadId: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uploadId)) return uploadId;
  throw new AppError("STORAGE_UPLOAD_NOT_FOUND");
}

async function assertUpload(folder: string, { key }: ObjectUpload): Promise<void> {
  const text = await readFile(join(folder, keyFile), "utf8").catch(toUploadError);
  if ((JSON.parse(text) as { readonly key: string }).key !== key) throw new AppError("STORAGE_UPLOAD_NOT_FOUND");
}

function toUploadError(error: unknown): never {
  throw isMissing(error) ? new AppError("STORAGE_UPLOAD_NOT_FOUND", {}, error) : toFilesystemError(error);
}

async function readParts(folder: string, upload: ObjectUpload): Promise<UploadedPart[]> {
  await assertUpload(folder, upload);
  const names = (await readdir(folder).catch(toUploadError)).filter((name) => name.startsWith("part-")).sort();
  const parts: UploadedPart[] = [];
  for (const name of names) {
    const { size: sizeBytes } = await stat(join(folder, name)).catch(toUploadError);
    parts.push({ partNumber: Number(name.slice("part-".length)), sizeBytes });
  }
  return parts;
}

async function* joinParts(folder: string, parts: readonly UploadedPart[]): AsyncGenerator<Uint8Array> {
  try {
    for (const { partNumber } of parts) {
      yield* createReadStream(join(folder, toPartName(partNumber)), { highWaterMark: 2 ** 20 });
    }
  } catch (error) {
    toUploadError(error);
  }
}
