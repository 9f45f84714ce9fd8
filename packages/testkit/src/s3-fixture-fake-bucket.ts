import { createHash, randomUUID } from "node:crypto";

/** What one bucket of the fake holds. */
export interface FakeBucket {
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, FakeUpload>;
}

export interface StoredObject {
  readonly body: Buffer;
  readonly contentType: string;
  /** Entity tag, with its quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
  /** Headers `x-amz-meta-…`. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface FakeUpload {
  readonly name: string;
  readonly uploadId: string;
  readonly startedAt: Date;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parts: Map<number, StoredObject>;
}

/** A request that the fake answers; its signature and body have been checked. */
export interface FakeRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly bucketName: string;
  /** Name of the object; empty for the bucket. */
  readonly name: string;
  readonly bucket: FakeBucket;
}

export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | string;
}

export const createFakeBucket = (): FakeBucket => ({ objects: new Map(), uploads: new Map() });

export function toStoredObject(body: Buffer, source: Pick<StoredObject, "contentType" | "metadata">): StoredObject {
  const { contentType, metadata } = source;
  return { body, contentType, metadata, etag: `"${md5Of(body).toString("hex")}"`, modifiedAt: new Date() };
}

/** Type and metadata as the headers of a request give them. */
export function describeBody(headers: FakeRequest["headers"]): Pick<StoredObject, "contentType" | "metadata"> {
  const metadata = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-")));
  return { contentType: headers["content-type"] ?? "binary/octet-stream", metadata };
}

export const md5Of = (bytes: Uint8Array): Buffer => createHash("md5").update(bytes).digest();
export const createUploadId = (): string => `2~${randomUUID()}`;

export function answerError(status: number, code: string): FakeAnswer {
  return answerXml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, status);
}

export function answerXml(xml: string, status = 200): FakeAnswer {
  const headers = { "content-type": "application/xml" };
  return { status, headers, body: `<?xml version="1.0" encoding="UTF-8"?>\n${xml}` };
}

export function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (char) => entities[char] ?? char);
}

/** One page of entries, and where the next one begins. */
export function cutPage<T>(entries: readonly T[], requested: string | null) {
  const size = Math.min(requested === null ? 1_000 : Number(requested), 1_000);
  return { page: entries.slice(0, size), isTruncated: entries.length > size };
}
