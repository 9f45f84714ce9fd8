/** Tells when no sign has come for a while. */
export interface StallWatch {
  /** Nothing happens when it is too late. */
  readonly sign: () => void;
  close(): void;
}

/** @param onStall called at most once, `stallMs` after the last sign */
export function createStallWatch(stallMs: number, onStall: () => void): StallWatch {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    onStall();
  }, stallMs);
  return {
    sign: () => {
      if (!isOver) timer.refresh();
    },
    close: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
