import { AppError } from "@attune/service-kit/app-error.ts";

const maxLineBytes = 8 * 1024 * 1024;
const newline = 0x0a;

/** Passes bytes on. @throws AppError INFERENCE_ENGINE_FAILED when a line has more than 8 MiB, which a reader would have to keep */
export async function* boundLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of body) {
    const last = piece.lastIndexOf(newline);
    size = last === -1 ? size + piece.length : piece.length - last - 1;
    if (size > maxLineBytes) throw new AppError("INFERENCE_ENGINE_FAILED", { detail: "It sent a line without end." });
    yield piece;
  }
}
