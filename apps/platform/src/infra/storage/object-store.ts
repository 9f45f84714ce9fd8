import type { Readable } from "node:stream";

/** Bytes to be stored: all of them, or a stream that is pulled no faster than the store takes it. */
export type ObjectBody = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Where objects lie. An object is written whole or not at all: a reader sees the old bytes or the new ones, never a mixture
 * and never a part. Keys are those that `assertObjectKey` takes. Every call may throw AppError with `STORAGE_UNAVAILABLE`,
 * `STORAGE_DENIED` or `STORAGE_KEY_INVALID`, and the reason of `signal` when that aborts; an error of the caller's own stream
 * is thrown as it is. Every implementation passes `object-store.contract.ts`.
 */
export interface ObjectStore extends ObjectStoreFacts {
  /** Writes, reads and removes a small object of its own. Answers within five seconds and never throws. */
  probe(signal?: AbortSignal): Promise<StoreAvailability>;
  /**
   * Stores the bytes under the key, in place of what lay there, and makes them durable before it answers.
   * @throws AppError `STORAGE_CHECKSUM_MISMATCH` when the bytes are not those expected, `STORAGE_FULL`; nothing is stored then.
   */
  put(key: string, body: ObjectBody, options?: PutOptions): Promise<ObjectDigest>;
  /**
   * The stream must be read to its end or destroyed.
   * @throws AppError `STORAGE_OBJECT_NOT_FOUND`, `STORAGE_RANGE_INVALID`.
   */
  get(key: string, options?: GetOptions): Promise<ObjectReading>;
  /** What is known of an object without reading it; undefined when there is none. */
  head(key: string, signal?: AbortSignal): Promise<ObjectHead | undefined>;
  exists(key: string, signal?: AbortSignal): Promise<boolean>;
  /** Whether the object was there makes no difference. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** Objects whose key starts with `prefix`, in the order of their keys as UTF-8; fetched page by page while it is iterated. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ObjectEntry>;
  /** @throws AppError `STORAGE_OBJECT_NOT_FOUND`. */
  copy(sourceKey: string, targetKey: string, signal?: AbortSignal): Promise<void>;

  /** Begins an object that is written in parts, in any order, by any process. Nothing lies under the key until it is complete. */
  createUpload(key: string, options?: UploadOptions): Promise<ObjectUpload>;
  /**
   * Durable when it answers. A part that is put twice is the later one. A part lies in memory while it is sent.
   * @throws AppError `STORAGE_UPLOAD_NOT_FOUND`, `STORAGE_UPLOAD_INVALID`, `STORAGE_CHECKSUM_MISMATCH`, `STORAGE_FULL`.
   */
  putPart(upload: ObjectUpload, part: PartToPut, signal?: AbortSignal): Promise<UploadedPart>;
  /** By number. @throws AppError `STORAGE_UPLOAD_NOT_FOUND`. */
  listParts(upload: ObjectUpload, signal?: AbortSignal): Promise<readonly UploadedPart[]>;
  /**
   * Joins the parts. After an answer that was lost it may be called again: with `expected.sha256` it answers the same.
   * @throws AppError `STORAGE_UPLOAD_INVALID` when parts are missing or too small, `STORAGE_FULL`; the upload can go on then.
   * `STORAGE_UPLOAD_NOT_FOUND`. `STORAGE_CHECKSUM_MISMATCH`, after which the upload is no more.
   */
  completeUpload(upload: ObjectUpload, options?: CompleteOptions): Promise<ObjectDigest>;
  /** Whether the upload was there makes no difference. */
  abortUpload(upload: ObjectUpload, signal?: AbortSignal): Promise<void>;

  /** A link that gives the object to whoever holds it. The object need not exist yet. */
  signGet(key: string, options: SignGetOptions): Promise<SignedLink>;
  /** A link that takes one object by HTTP PUT from whoever holds it. */
  signPut(key: string, options: SignPutOptions): Promise<SignedLink>;

  /** Removes what writes that never ended have left: never an object, and nothing that this process is writing. */
  sweep(options: SweepOptions): Promise<SweepReport>;
  close(): Promise<void>;
}

export interface ObjectStoreFacts {
  /** As the configuration names it, lower case. */
  readonly name: string;
  readonly description: string;
  /** Whether all nodes of the platform see the same objects. */
  readonly isShared: boolean;
}

/** Whether the store can work now; the reason says what is wrong and what to do. */
export type StoreAvailability =
  | { readonly isAvailable: true; readonly freeBytes?: number }
  | { readonly isAvailable: false; readonly unavailableReason: string };

/** What the bytes must turn out to be; what is absent is not judged. */
export interface ExpectedObject {
  readonly sizeBytes?: number;
  /** Lower-case hexadecimal. */
  readonly sha256?: string;
}

export interface ObjectDigest {
  readonly sizeBytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

export interface PutOptions {
  readonly expected?: ExpectedObject;
  readonly mediaType?: string;
  readonly signal?: AbortSignal;
}

export interface GetOptions {
  readonly range?: ByteRange;
  readonly signal?: AbortSignal;
}

/** Both ends belong to it; without a last byte, or with one behind the end, it reaches to the end of the object. */
export interface ByteRange {
  readonly firstByte: number;
  readonly lastByte?: number;
}

export interface ObjectReading {
  /** Bytes of the whole object, also when a range was asked for. */
  readonly sizeBytes: number;
  readonly stream: Readable;
}

export interface ObjectHead {
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  /** Where the store keeps it: S3 does, for objects written by `put`, `copy` and `completeUpload`. */
  readonly sha256?: string;
}

export interface ObjectEntry {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

export interface ListOptions {
  /** Only keys behind this one. */
  readonly startAfter?: string;
  /** Entries asked for at a time, 1 to 1,000. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

export interface UploadOptions {
  readonly mediaType?: string;
  readonly signal?: AbortSignal;
}

/** Plain values, so that it can be kept in a database until the upload goes on. */
export interface ObjectUpload {
  readonly key: string;
  readonly uploadId: string;
}

export interface PartToPut {
  /** 1 to `partLimits.maxCount`. */
  readonly partNumber: number;
  readonly body: ObjectBody;
  readonly expected?: ExpectedObject;
}

export interface UploadedPart {
  readonly partNumber: number;
  readonly sizeBytes: number;
}

export interface CompleteOptions {
  readonly expected?: ExpectedObject;
  readonly mediaType?: string;
  readonly signal?: AbortSignal;
}

export interface SignGetOptions {
  /** 1 to 604,800 (seven days). */
  readonly expiresInSeconds: number;
  /** The name under which a browser saves it; any text. */
  readonly fileName?: string;
  readonly mediaType?: string;
}

export interface SignPutOptions {
  readonly expiresInSeconds: number;
  /** Exactly what must come. */
  readonly sizeBytes: number;
}

export interface SignedLink {
  readonly url: string;
  readonly expiresAt: Date;
}

export interface SweepOptions {
  /** What was touched later than this is kept. */
  readonly olderThanMs: number;
  readonly signal?: AbortSignal;
}

export interface SweepReport {
  /** Temporary files or staged objects, and uploads that were never completed. */
  readonly removedCount: number;
}

/** Of uploads in parts, for all stores: what the strictest of them, S3, takes. */
export const partLimits = {
  /** Of every part but the last. */
  minBytes: 5 * 2 ** 20,
  maxBytes: 64 * 2 ** 20,
  maxCount: 10_000,
} as const;
