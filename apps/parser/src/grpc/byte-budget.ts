/** Bytes that many may hold together. Everyone holds a little without asking, so that small ones are never kept out by large. */
export interface ByteBudget {
  /** A share that holds nothing yet. */
  open(): ByteShare;
  readonly heldBytes: number;
}

export interface ByteShare {
  /** Holds at least so many bytes from now on. @returns false, and holds what it held, where there is no room. */
  growTo(bytes: number): boolean;
  release(): void;
}

export interface ByteBudgetSettings {
  readonly maxBytes: number;
  /** What each share holds uncounted. */
  readonly freeBytes: number;
}

export function createByteBudget({ maxBytes, freeBytes }: ByteBudgetSettings): ByteBudget {
  let totalBytes = 0;
  return {
    get heldBytes() {
      return totalBytes;
    },
    open: () => {
      let ownBytes = 0;
      return {
        growTo: (bytes) => {
          const more = Math.max(0, bytes - freeBytes - ownBytes);
          if (totalBytes + more > maxBytes) return false;
          totalBytes += more;
          ownBytes += more;
          return true;
        },
        release: () => {
          totalBytes -= ownBytes;
          ownBytes = 0;
        },
      };
    },
  };
}
