/** What a mean hides: the mean of the worst tenth, and the worst of all with its name. */
export interface Summary {
  readonly mean: number;
  readonly worstTenth: number;
  readonly min: number;
  readonly worst: string;
  readonly count: number;
}

/** Values by document; a document without a value does not count. */
export function summarise(values: ReadonlyMap<string, number | undefined>): Summary | undefined {
  const known = [...values].flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const sorted = known.toSorted((one, other) => one.value - other.value);
  const worst = sorted[0];
  if (worst === undefined) return undefined;
  return {
    mean: meanOf(sorted),
    worstTenth: meanOf(sorted.slice(0, Math.max(1, Math.floor(sorted.length / 10)))),
    min: worst.value,
    worst: worst.name,
    count: sorted.length,
  };
}

function meanOf(values: readonly { value: number }[]): number {
  return values.reduce((sum, { value }) => sum + value, 0) / values.length;
}
