import * as z from "zod";

export const cacheKinds = ["model", "dataset"] as const;
export type CacheKind = (typeof cacheKinds)[number];

/**
 * `interrupted`: its agent ended before it was complete, and it goes on when it is prepared again. `damaged`: its files are
 * not those of its manifest; nothing may use it.
 */
export const cacheStates = [
  "queued",
  "preparing",
  "verifying",
  "ready",
  "failed",
  "cancelled",
  "interrupted",
  "damaged",
] as const;
export type CacheState = (typeof cacheStates)[number];

export const cacheStages = ["waiting", "listing", "checking_leftovers", "fetching", "publishing", "hashing"] as const;
export type CacheStage = (typeof cacheStages)[number];

const key = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, {
    error: "must be up to 128 letters, digits, dots, dashes, underscores",
  })
  .refine((text) => !text.endsWith("."), { error: "must not end with a dot" });
const kind = z.enum(cacheKinds);
const size = z.int().nonnegative();
const sha256 = z
  .string()
  .toLowerCase()
  .regex(/^[0-9a-f]{64}$/, { error: "must be 64 hexadecimal digits" });
const patterns = z.array(z.string().min(1).max(500)).max(100).default([]);

const filesSource = z
  .strictObject({
    type: z.literal("files"),
    files: z
      .array(
        z.strictObject({
          path: z.string().min(1).max(1024).meta({ description: "Where it lies in the entry, with slashes" }),
          url: z
            .string()
            .min(1)
            .max(8192)
            .meta({ description: "http or https; a presigned link too. It is never told" }),
          size_bytes: size,
          checksum_sha256: sha256,
        }),
      )
      .min(1)
      .max(100_000),
    revision: z.string().min(1).max(200).optional(),
  })
  .meta({ id: "CacheFilesSource" });

const localSource = z
  .strictObject({
    type: z.literal("local"),
    path: z.string().min(1).max(4096).meta({ description: "A folder or file in one that the operator opened" }),
    revision: z.string().min(1).max(200).optional(),
  })
  .meta({ id: "CacheLocalSource" });

const hubSource = z
  .strictObject({
    type: z.literal("hub"),
    repo_id: z
      .string()
      .max(200)
      .regex(/^(?:[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/, { error: "must be `name` or `owner/name`" })
      .refine((text) => !text.includes(".."), { error: "must not hold `..`" }),
    revision: z
      .string()
      .max(200)
      .regex(/^[A-Za-z0-9][\w./-]*$/, { error: "must be a branch, a tag or a commit" })
      .refine((text) => !text.includes(".."), { error: "must not hold `..`" })
      .default("main"),
    include: patterns.meta({ description: "Only files that match one: `*` within a name, `**` across folders" }),
    exclude: patterns.meta({ description: "No files that match one" }),
    token: z
      .string()
      .min(1)
      .max(4000)
      .regex(/^[\x21-\x7e]+$/, { error: "must be visible ASCII characters without spaces" })
      .optional()
      .meta({ description: "Of the hub, instead of the node's own; it is never kept nor told", writeOnly: true }),
  })
  .meta({ id: "CacheHubSource" });

export const cacheSource = z.discriminatedUnion("type", [filesSource, localSource, hubSource]);
export type CacheSourceRequest = z.infer<typeof cacheSource>;

export const prepareRequest = z
  .strictObject({
    kind,
    key: key.optional().meta({ description: "Name in the cache; made from the source unless given" }),
    source: cacheSource,
    unsafe_files: z
      .enum(["refuse", "skip", "allow"])
      .default("refuse")
      .meta({ description: "What becomes of files that can run code when they are loaded, such as pickle" }),
  })
  .meta({ id: "CachePrepareRequest" });
export type PrepareRequest = z.infer<typeof prepareRequest>;

const progressSchema = z
  .strictObject({
    stage: z.enum(cacheStages),
    bytes_done: size,
    bytes_total: size.nullable().meta({ description: "Null until the source has been listed" }),
    files_done: size,
    files_total: size.nullable(),
    bytes_per_second: z.number().nonnegative().nullable().meta({ description: "Over the last seconds" }),
    /** Bytes that were there from an attempt before, and fit. */
    resumed_bytes: size,
    /** Requests that were made again. */
    retries: size,
  })
  .meta({ id: "CacheProgress" });
export type CacheProgress = z.infer<typeof progressSchema>;

const failureSchema = z
  .strictObject({ reason: z.string(), message: z.string(), remedy: z.string(), retryable: z.boolean() })
  .meta({ id: "CacheFailure" });
export type CacheFailure = z.infer<typeof failureSchema>;

export const cacheEntryView = z
  .strictObject({
    kind,
    key: z.string(),
    state: z.enum(cacheStates),
    path: z.string().nullable().meta({ description: "Its folder on the node, when its files may be used" }),
    source: z.strictObject({ type: z.enum(["files", "local", "hub"]), name: z.string() }).nullable(),
    revision: z.string().nullable().meta({ description: "Of a hub the commit, once it is known" }),
    size_bytes: size.nullable(),
    file_count: size.nullable(),
    skipped_files: z.array(z.string()).meta({ description: "Left out because of their type, at most 100" }),
    progress: progressSchema.nullable(),
    failure: failureSchema.nullable(),
    used_by: z.array(z.string()).meta({ description: "Jobs and loaded models that name a path in it" }),
    created_at: z.iso.datetime().nullable(),
    verified_at: z.iso.datetime().nullable().meta({ description: "When all of it was last hashed" }),
  })
  .meta({ id: "CacheEntry" });
export type CacheEntryView = z.infer<typeof cacheEntryView>;

export const cacheListView = z
  .strictObject({
    items: z.array(cacheEntryView),
    size_bytes: size.meta({ description: "Of complete entries" }),
    unfinished_bytes: size.meta({ description: "Of what is not complete, and of what was set aside as damaged" }),
    free_bytes: size.nullable(),
  })
  .meta({ id: "CacheList" });
export type CacheListView = z.infer<typeof cacheListView>;

export const cacheEntryParams = z.strictObject({ kind, key });

export const maxReadBytes = 8 * 1024 * 1024;

export const fileReadQuery = z
  .strictObject({
    path: z.string().min(1).max(4096).meta({ description: "Absolute, or below `root`" }),
    root: z.enum(["runs", "cache"]).optional().meta({ description: "The folder that `path` is relative to" }),
    offset: z.coerce.number().int().nonnegative().optional().meta({ description: "First byte" }),
    length: z.coerce.number().int().min(1).max(maxReadBytes).optional().meta({ description: "Most bytes" }),
    tail_lines: z.coerce.number().int().min(1).max(100_000).optional().meta({ description: "Only the last lines" }),
  })
  .refine((query) => query.tail_lines === undefined || (query.offset === undefined && query.length === undefined), {
    error: "tail_lines stands alone, without offset and length",
  });
export type FileReadQuery = z.infer<typeof fileReadQuery>;

export const fileReadView = z
  .strictObject({
    path: z.string(),
    size_bytes: size.meta({ description: "Of the whole file" }),
    modified_at: z.iso.datetime(),
    checksum_sha256: z.string().nullable().meta({
      description:
        "Of the whole file; null for a log, where it is being written, or too large to be hashed for each reader",
    }),
    version: z.string().meta({ description: "Another one when the file was written to or replaced" }),
    is_changing: z.boolean().meta({ description: "Whether it was written to while it was read" }),
    offset: size,
    length: size.meta({ description: "Bytes of this part" }),
    next_offset: size.nullable().meta({ description: "Where to go on; null at the end" }),
    is_truncated: z
      .boolean()
      .meta({ description: "Whether there were more lines, or bytes, than were asked for or fit" }),
    is_masked: z.boolean().meta({
      description: "Whether it is a log, in which asterisks stand for what looks like a secret, one for each byte",
    }),
    is_text: z.boolean(),
    encoding: z.enum(["utf-8", "base64"]),
    content: z.string(),
  })
  .meta({ id: "NodeFile" });
export type FileReadView = z.infer<typeof fileReadView>;
