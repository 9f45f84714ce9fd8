/** Does something with each item, several at once. The first failure stops the others and is thrown when they have stopped. */
export async function inParallel<T, R>(
  { items, atOnce }: { readonly items: readonly T[]; readonly atOnce: number },
  work: (item: T, signal: AbortSignal) => Promise<R>,
  signal: AbortSignal,
): Promise<R[]> {
  const stop = new AbortController();
  const signals = AbortSignal.any([signal, stop.signal]);
  const queue = items.values();
  const results: R[] = [];
  const failures: unknown[] = [];
  const lane = async () => {
    for (const item of queue) {
      signals.throwIfAborted();
      results.push(await work(item, signals));
    }
  };
  const guarded = () =>
    lane().catch((error: unknown) => {
      failures.push(error);
      stop.abort(error);
    });
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, guarded));
  if (failures.length > 0) throw failures[0];
  return results;
}
