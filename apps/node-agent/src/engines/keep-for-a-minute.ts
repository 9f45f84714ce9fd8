const minuteMs = 60_000;

/** Asks anew when the last answer is older than a minute; who comes meanwhile waits for the same answer. A failure is not kept. */
export function keepForAMinute<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly askedAtMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (last !== undefined && nowMs - last.askedAtMs < minuteMs) return last.answer;
    const asked = { askedAtMs: nowMs, answer: ask() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.answer;
  };
}
