import type { Writable } from "node:stream";
import type { StoredBytes } from "../engines/engine.ts";
import { encodeFrameStart } from "./frame.ts";

/**
 * Writes a frame whose body comes in pieces, the next when the last is written, so that a slow reader holds up the source and
 * not our memory. Resolves when all is written, and also when the pipe has broken: whoever reads at its end tells why.
 * @throws Error what the source throws, or that it gave another number of bytes than announced; the frame is then not whole.
 */
export async function sendFrame(channel: Writable, head: object, body: StoredBytes): Promise<void> {
  const start = encodeFrameStart(head, body.sizeBytes);
  let sentBytes = 0;
  for await (const chunk of body.readChunks()) {
    sentBytes += chunk.length;
    if (sentBytes > body.sizeBytes) break;
    const isWritten = await write(channel, sentBytes === chunk.length ? [start, chunk] : [chunk]);
    if (!isWritten) return;
  }
  if (sentBytes === 0) await write(channel, [start]);
  if (sentBytes !== body.sizeBytes) throw new Error(`a file of ${body.sizeBytes} bytes gave ${sentBytes}`);
}

// The callback of the last part comes when the system has taken all of them, or will take no more of any.
function write(channel: Writable, parts: readonly Uint8Array[]): Promise<boolean> {
  return new Promise((resolve) => {
    channel.cork();
    for (const part of parts.slice(0, -1)) channel.write(part);
    channel.write(parts.at(-1), (error) => resolve(error === null || error === undefined));
    channel.uncork();
  });
}
