/**
 * Gives the memory of a buffer back at once. The collector frees it late: it counts megabytes beside a small heap as a heap
 * that grows, and walks all of it again and again. Only for a buffer that has its memory to itself (`Buffer.allocUnsafeSlow`,
 * chunks of a pipe) and that nobody uses any more, a pending write included; it is empty afterwards. Others are left alone.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  const isWhole = byteLength === buffer.byteLength;
  if (isWhole && byteLength >= smallestBytes && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

// Below, freeing costs more than it spares; and it is what Node cuts from memory that buffers share.
const smallestBytes = 16_384;
