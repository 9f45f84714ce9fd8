import { randomBytes } from "node:crypto";
import { readFile, rm, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import { findCompleted } from "../find-completed.ts";
import { assertObjectKey } from "../object-key.ts";
import type { ObjectStore, ObjectUpload, StoreAvailability } from "../object-store.ts";
import { readBody } from "../read-body.ts";
import { syncFolder } from "@attune/service-kit/disk/sync-folder.ts";
import { openFolders, type StoreFolders } from "./folders.ts";
import { toObjectPath } from "./key-path.ts";
import { listObjects } from "./list-objects.ts";
import { openLinkSecret } from "./open-link-secret.ts";
import { openObject } from "./open-object.ts";
import { createLinkSigner, type LinkGrant } from "./signed-link.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";
import { createTemporaryFiles, type TemporaryFiles } from "./temporary-files.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk, toFilesystemError } from "./to-filesystem-error.ts";
import { createUploads } from "./uploads.ts";

export interface FilesystemStoreSettings {
  /** Folder of the store; made when it is missing. */
  readonly path: string;
  /** Address of the platform as browsers reach it; links begin with it. */
  readonly publicUrl: string;
  /** At least 32 characters; undefined: the store makes its own and keeps it. */
  readonly linkSecret?: Secret | undefined;
}

export interface FilesystemStore extends ObjectStore {
  /** @throws AppError `STORAGE_LINK_INVALID`. */
  verifyLink(method: string, url: string): LinkGrant;
}

export const filesystemFacts = {
  name: "filesystem",
  description: "A folder of this machine. Several nodes need a folder that all of them have mounted.",
  isShared: false,
} as const;

/** What tests put in place of the clock, and between the steps on the disk. */
export interface FilesystemHooks {
  readonly nowMs?: () => number;
  readonly crashPoint?: (name: string) => Promise<void>;
}

/** @throws AppError `STORAGE_UNAVAILABLE`, `STORAGE_DENIED` when its folder cannot be made. */
export async function createFilesystemStore(
  settings: FilesystemStoreSettings,
  { nowMs = Date.now, crashPoint = async () => {} }: FilesystemHooks = {},
): Promise<FilesystemStore> {
  const root = resolve(settings.path);
  const folders = await openFolders(root, crashPoint);
  const secret = settings.linkSecret ?? (await openLinkSecret(root));
  const temporary = createTemporaryFiles(folders.temporary, crashPoint);
  const signer = createLinkSigner({ publicUrl: settings.publicUrl, secret, nowMs });
  const expiryOf = ({ expiresInSeconds }: { readonly expiresInSeconds: number }) =>
    new Date(nowMs() + expiresInSeconds * 1000);
  const objects = createObjectCalls(folders, temporary);
  return {
    ...filesystemFacts,
    ...objects,
    ...createUploadCalls(objects, createUploads({ folders, temporary })),
    probe: () => probe(temporary, folders),
    list: (prefix, { startAfter, signal } = {}) =>
      listObjects(folders.objects, {
        prefix,
        ...(startAfter !== undefined && { startAfter }),
        ...(signal && { signal }),
      }),
    signGet: async (key, options) => {
      assertObjectKey(key);
      const { fileName, mediaType } = options;
      const shown = { ...(fileName !== undefined && { fileName }), ...(mediaType !== undefined && { mediaType }) };
      return signer.sign({ method: "GET", key, expiresAt: expiryOf(options), ...shown });
    },
    signPut: async (key, options) => {
      assertObjectKey(key);
      return signer.sign({ method: "PUT", key, expiresAt: expiryOf(options), sizeBytes: options.sizeBytes });
    },
    verifyLink: (method, url) => signer.verify(method, url),
    sweep: (options) => sweepLeftovers({ folders, temporary, nowMs }, options),
    close: async () => {},
  };
}

type ObjectCalls = Pick<ObjectStore, "put" | "get" | "head" | "exists" | "delete" | "copy">;

function createObjectCalls(folders: StoreFolders, temporary: TemporaryFiles): ObjectCalls {
  const pathOf = (key: string) => {
    assertObjectKey(key);
    return toObjectPath(folders.objects, key);
  };
  const toMissing = toMissingIn(folders);
  const head: ObjectStore["head"] = async (key) => {
    try {
      const { size: sizeBytes, mtime: modifiedAt } = await stat(pathOf(key));
      return { sizeBytes, modifiedAt };
    } catch (error) {
      const reason = await toMissing(error);
      if (reason instanceof AppError && reason.reason === "STORAGE_OBJECT_NOT_FOUND") return undefined;
      throw reason;
    }
  };
  return {
    head,
    exists: async (key) => (await head(key)) !== undefined,
    put: (key, body, { expected, signal } = {}) => {
      const path = pathOf(key);
      return temporary.write(readBody(body, expected, signal), async (file) => {
        await folders.publish(file.path, path);
        return file.content;
      });
    },
    get: async (key, { range, signal } = {}) => {
      signal?.throwIfAborted();
      return openObject(pathOf(key), range).catch(async (error: unknown) => Promise.reject(await toMissing(error)));
    },
    delete: async (key) => {
      const path = pathOf(key);
      try {
        await rm(path);
        await syncFolder(dirname(path));
      } catch (error) {
        const reason = await toMissing(error);
        if (!(reason instanceof AppError && reason.reason === "STORAGE_OBJECT_NOT_FOUND")) throw reason;
      }
    },
    copy: async (sourceKey, targetKey) => {
      const [source, target] = [pathOf(sourceKey), pathOf(targetKey)];
      await temporary
        .copy(source, ({ path }) => folders.publish(path, target))
        .catch(async (error: unknown) => Promise.reject(await toMissing(error)));
    },
  };
}

/** A missing object as such, unless the whole store is missing: nobody may take an unmounted volume for an empty one. */
function toMissingIn({ objects }: StoreFolders): (error: unknown) => Promise<unknown> {
  return async (error) => {
    if (!isMissing(error)) return toFilesystemError(error);
    const isThere = await stat(objects).then(
      (folder) => folder.isDirectory(),
      () => false,
    );
    return isThere ? new AppError("STORAGE_OBJECT_NOT_FOUND", {}, error) : toFilesystemError(error);
  };
}

type UploadCalls = ReturnType<typeof createUploads>;

function createUploadCalls(store: Pick<ObjectStore, "get">, uploads: UploadCalls): UploadCalls {
  return {
    ...uploads,
    createUpload: async (key, options) => {
      assertObjectKey(key);
      return uploads.createUpload(key, options);
    },
    completeUpload: (upload: ObjectUpload, options = {}) =>
      uploads
        .completeUpload(upload, options)
        .catch((error: unknown) => findCompleted(store, { ...options, key: upload.key }, error)),
  };
}

/** A file is written and made durable as an object is, read back and removed. */
async function probe(temporary: TemporaryFiles, folders: StoreFolders): Promise<StoreAvailability> {
  try {
    const { bavail, bsize } = await onDisk(async () => {
      await stat(folders.objects);
      return statfs(folders.objects);
    });
    const bytes = randomBytes(32);
    const isSame = await temporary.write(readBody(bytes), async ({ path }) =>
      onDisk(async () => (await readFile(path)).equals(bytes)),
    );
    if (!isSame) throw new AppError("STORAGE_OBJECT_DAMAGED");
    return { isAvailable: true, freeBytes: bavail * bsize };
  } catch (error) {
    const reason = error instanceof AppError ? error.message : "The folder of the store cannot be used.";
    return { isAvailable: false, unavailableReason: reason };
  }
}
