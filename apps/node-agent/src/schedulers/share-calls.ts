/** Calls for the same key at the same time become one. The first one's signal is that of all. */
export function shareCalls<TRequest, TResult>(
  keyOf: (request: TRequest) => string,
  work: (request: TRequest, signal?: AbortSignal) => Promise<TResult>,
): (request: TRequest, signal?: AbortSignal) => Promise<TResult> {
  const running = new Map<string, Promise<TResult>>();
  return (request, signal) => {
    const key = keyOf(request);
    const there = running.get(key);
    if (there !== undefined) return there;
    const begun = work(request, signal).finally(() => running.delete(key));
    running.set(key, begun);
    return begun;
  };
}
