import type { ServerResponse } from "node:http";

/** Ends the connection of a reader who has taken nothing for `stallMs` although something waits for it. */
export function cutStalled(response: ServerResponse, stallMs: number): void {
  let taken = 0;
  let takenAtMs = performance.now();
  const timer = setInterval(
    () => {
      const { socket } = response;
      if (socket === null) return;
      const bytes = socket.bytesWritten - socket.writableLength;
      const isWaiting = socket.writableLength > 0;
      if (bytes !== taken || !isWaiting) [taken, takenAtMs] = [bytes, performance.now()];
      else if (performance.now() - takenAtMs >= stallMs) socket.destroy();
    },
    Math.max(10, stallMs / 10),
  );
  timer.unref();
  response.once("close", () => clearInterval(timer));
}
