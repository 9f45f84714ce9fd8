import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { CacheSettings } from "../cache-settings.ts";
import { tooManyFiles } from "../check-file-list.ts";
import { toStatusError } from "../download/open-http-file.ts";
import { tryAgain } from "../download/try-again.ts";
import type { SourceAnswer, SourceHttp, SourceRequest } from "../download/source-http.ts";
import { explainHubAnswer } from "./hub-errors.ts";

export interface HubPort {
  readonly http: SourceHttp;
  readonly settings: CacheSettings;
  /** With the token, for addresses of the hub's own origin. */
  toRequest(url: string): SourceRequest;
}

export interface HubEntry {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string | undefined;
  readonly gitOid: string | undefined;
}

const maxAnswerBytes = 64 * 1024 * 1024;
const commitAnswer = z.looseObject({ sha: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/) });
const treeAnswer = z.array(
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("directory"), path: z.string() }),
    z.looseObject({
      type: z.literal("file"),
      path: z.string(),
      size: z.int().nonnegative(),
      oid: z.string().regex(/^[0-9a-f]{40}$/),
      lfs: z.looseObject({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().nonnegative() }).nullish(),
    }),
  ]),
);

/** The commit that a branch, a tag or a short commit means now. */
export async function readHubCommit(url: string, port: HubPort, signal: AbortSignal): Promise<string> {
  const { json } = await readJson(url, port, signal);
  return parse(commitAnswer, json).sha;
}

interface Tree {
  readonly url: string;
  readonly endpoint: string;
  readonly maxFiles: number;
  readonly isWanted: (path: string) => boolean;
}

/** Most pages of a tree: ten million files. */
const maxPages = 10_000;

/** The wanted files of a tree, over all its pages. @throws AppError `CACHE_TOO_MANY_FILES` rather than leave some out */
export async function listHubTree(tree: Tree, port: HubPort, signal: AbortSignal): Promise<HubEntry[]> {
  const entries: HubEntry[] = [];
  const seen = new Set<string>();
  let url: string | undefined = tree.url;
  while (url !== undefined) {
    // Every page must be another one, or a broken hub would be asked for ever.
    if (seen.has(url) || seen.size >= maxPages) throw invalid("Its list of files has no end.");
    seen.add(url);
    const { json, next } = await readJson(url, port, signal);
    for (const entry of parse(treeAnswer, json)) {
      if (entry.type === "file" && tree.isWanted(entry.path)) entries.push(toEntry(entry));
    }
    if (entries.length > tree.maxFiles) throw tooManyFiles(tree.maxFiles);
    url = next === undefined ? undefined : sameOrigin(next, url, tree.endpoint);
  }
  return entries;
}

type FileAnswer = Extract<z.infer<typeof treeAnswer>[number], { type: "file" }>;

function toEntry({ path, size, oid, lfs }: FileAnswer): HubEntry {
  if (lfs === undefined || lfs === null) return { path, sizeBytes: size, sha256: undefined, gitOid: oid };
  return { path, sizeBytes: lfs.size, sha256: lfs.oid, gitOid: undefined };
}

// The token goes along, so it must not lead elsewhere.
function sameOrigin(next: string, from: string, endpoint: string): string {
  const url = URL.parse(next, from);
  if (url === null || url.origin !== new URL(endpoint).origin) throw invalid("Its list of files goes on elsewhere.");
  return url.href;
}

function readJson(url: string, port: HubPort, signal: AbortSignal) {
  return tryAgain(
    async () => {
      const answer = await port.http.get(port.toRequest(url), signal);
      try {
        if (answer.status !== 200) throw explainHubAnswer(answer) ?? toStatusError(answer);
        return { json: parseJson(await collect(answer)), next: readNextLink(answer.headers["link"] ?? "") };
      } finally {
        answer.discard();
      }
    },
    port.settings,
    signal,
  );
}

async function collect({ body }: SourceAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxAnswerBytes) throw invalid(`It sent an answer of more than ${maxAnswerBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The `next` of a `Link` header (RFC 8288), as GitHub writes it. */
export function readNextLink(header: string): string | undefined {
  return /<([^<>]*)>[^,<]*;\s*rel="?next"?(?=[\s,;]|$)/i.exec(header)?.[1];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid("It answered something that is not JSON.", error);
  }
}

function parse<T extends z.ZodType>(schema: T, json: unknown): z.infer<T> {
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data;
  const where = error.issues[0]?.path.join(".") ?? "";
  throw invalid(`Its answer has another form${where === "" ? "" : `, at ${where}`}.`, error);
}

function invalid(detail: string, cause?: unknown): AppError {
  return new AppError("CACHE_SOURCE_INVALID", { detail }, cause);
}
