import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { UseOfGpu } from "./gpu-uses.ts";

export interface FreedNews {
  readonly onRelease: (listener: () => void) => () => void;
  /** Tells the listeners when a GPU is free that was not free at the last call. */
  readonly tellFreed: () => void;
}

export function createFreedNews(uses: () => ReadonlyMap<number, UseOfGpu>, logger: Logger): FreedNews {
  const freeNow = (): Set<number> =>
    new Set([...uses()].flatMap(([index, { use }]) => (use === "free" ? [index] : [])));
  const listeners = new Set<() => void>();
  let before = freeNow();
  return {
    onRelease(listener) {
      // Two that give the same function are two.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    tellFreed() {
      const free = freeNow();
      const isNews = free.difference(before).size > 0;
      before = free;
      if (!isNews) return;
      for (const listener of listeners) {
        try {
          listener();
        } catch (error) {
          logger.error({ error }, "A listener for freed GPUs failed");
        }
      }
    },
  };
}
