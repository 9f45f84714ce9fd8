/** Takes a turn and tells how to give it back, once. @throws the reason of `signal`; then no turn is taken. */
type TakeTurn = (signal: AbortSignal) => Promise<() => void>;

/** Lets so many work at once; the others wait in line, and leave it when their signal says so. */
export function createTurns(atOnce: number): TakeTurn {
  const line: (() => void)[] = [];
  let taken = 0;
  const give = () => {
    const next = line.shift();
    if (next === undefined) taken--;
    else next();
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (taken < atOnce) taken++;
    else await waitIn(line, signal);
    // Its turn may have come in the moment in which it was to leave.
    if (signal.aborted) give();
    signal.throwIfAborted();
    return give;
  };
}

/** Resolves when somebody who took it out of the line calls it. @throws the reason of `signal`, out of the line then. */
async function waitIn(line: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    const at = line.indexOf(resolve);
    if (at < 0) return;
    line.splice(at, 1);
    reject(signal.reason);
  };
  line.push(resolve);
  signal.addEventListener("abort", leave);
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
