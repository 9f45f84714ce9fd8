/**
 * `node fetch-client.ts JSON`: sends a file to, or reads all that comes from, an address, in a process of its own, so that the
 * memory of the server is measured alone. Prints the bytes of the answer.
 */
import { createReadStream } from "node:fs";
import { execFile } from "node:child_process";
import { Readable } from "node:stream";
import { promisify } from "node:util";

interface Order {
  readonly url: string;
  readonly token: string;
  readonly method?: string;
  /** File to send, from a byte on, so many of them. */
  readonly file?: { readonly path: string; readonly start?: number; readonly count?: number };
}

/** Runs this program. @returns bytes of the answer */
export async function runClient(order: Order): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, JSON.stringify(order)]);
  return Number(stdout);
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "{}") as Order);

async function run({ url, token, method = "GET", file }: Order): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
  const body = file && Readable.toWeb(openFile(file));
  const answer = await fetch(url, { method, headers, ...(body && { body: body as ReadableStream, duplex: "half" }) });
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.byteLength;
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status}`);
  console.log(bytes);
}

function openFile({ path, start = 0, count = Infinity }: NonNullable<Order["file"]>): Readable {
  return createReadStream(path, { start, ...(count < Infinity && { end: start + count - 1 }) });
}
