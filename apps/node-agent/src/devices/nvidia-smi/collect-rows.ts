/** Puts the lines of one look at all GPUs together: they come one per GPU, again and again, with nothing between the looks. */
export interface RowCollector<TRow> {
  add(index: number, row: TRow): void;
  close(): void;
}

export interface CollectOptions<TRow> {
  /** How long after a row the look is taken for complete, when it has fewer rows than the largest before it. */
  readonly quietMs: number;
  /** Told again with more when rows came behind what was taken for all. */
  readonly onLook: (rows: readonly TRow[]) => void;
}

export function createRowCollector<TRow>({ quietMs, onLook }: CollectOptions<TRow>): RowCollector<TRow> {
  let rows: TRow[] = [];
  let lastIndex = -1;
  let largest = 0;
  let isTold = true;
  let timer: NodeJS.Timeout | undefined;
  function tell(): void {
    clearTimeout(timer);
    isTold = true;
    largest = Math.max(largest, rows.length);
    onLook(rows);
  }
  return {
    add(index, row) {
      if (index <= lastIndex) {
        // The next look has begun.
        if (!isTold) tell();
        rows = [];
      }
      rows = [...rows, row];
      lastIndex = index;
      isTold = false;
      clearTimeout(timer);
      if (largest > 0 && rows.length >= largest) tell();
      else timer = setTimeout(tell, quietMs);
    },
    close: () => clearTimeout(timer),
  };
}
