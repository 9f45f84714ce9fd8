import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { toContentDisposition } from "../content-disposition.ts";
import type { ByteRange } from "../object-store.ts";
import type { FilesystemStore } from "./filesystem-store.ts";
import type { LinkGrant } from "./signed-link.ts";

/**
 * Answers a request to `linkPath`. The link is the only right it needs. Content is given to be saved, never to be shown, so
 * that nothing in it runs with the rights of the platform's pages.
 * @throws AppError before anything was sent; afterwards a failure breaks the connection, which the receiver sees.
 */
export async function serveLink(
  store: FilesystemStore,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "" } = request;
  if (!["GET", "HEAD", "PUT"].includes(method)) throw new AppError("STORAGE_LINK_INVALID");
  const grant = store.verifyLink(method, url);
  if (grant.method === "PUT") await takeObject({ store, grant }, request, response);
  else await sendObject({ store, grant }, request, response);
}

interface LinkUse {
  readonly store: FilesystemStore;
  readonly grant: LinkGrant;
}

async function takeObject({ store, grant }: LinkUse, request: IncomingMessage, response: ServerResponse) {
  const { key, sizeBytes } = grant;
  await store.put(key, request, { expected: { ...(sizeBytes !== undefined && { sizeBytes }) } });
  response.writeHead(200).end();
}

async function sendObject({ store, grant }: LinkUse, request: IncomingMessage, response: ServerResponse) {
  const head = await store.head(grant.key);
  if (head === undefined) throw new AppError("STORAGE_OBJECT_NOT_FOUND");
  const range = parseRange(request.headers.range, head.sizeBytes);
  const { stream, sizeBytes } = await store.get(grant.key, { ...(range !== undefined && { range }) });
  const { firstByte, lastByte } = { firstByte: 0, lastByte: sizeBytes - 1, ...range };
  const end = Math.min(lastByte, sizeBytes - 1);
  response.writeHead(range === undefined ? 200 : 206, {
    "content-type": grant.mediaType ?? "application/octet-stream",
    "content-length": end - firstByte + 1,
    "content-disposition": toContentDisposition(grant.fileName ?? grant.key.split("/").at(-1) ?? ""),
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
    "accept-ranges": "bytes",
    ...(range !== undefined && { "content-range": `bytes ${firstByte}-${end}/${sizeBytes}` }),
  });
  if (request.method === "HEAD") {
    stream.destroy();
    response.end();
  } else {
    await pipeline(stream, response);
  }
}

// Several ranges at once, and what is no range, are answered with the whole, as RFC 9110 allows.
function parseRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") return { firstByte: Math.max(0, sizeBytes - Number(last)) };
  return { firstByte: Number(first), ...(last !== "" && { lastByte: Number(last) }) };
}
