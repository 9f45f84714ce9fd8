/**
 * Milliseconds since 1970: the time of day as it was when the process started, and what has passed since. A clock that is set
 * ends no lease and makes no sample old.
 */
export const steadyNow = (): number => Math.trunc(performance.timeOrigin + performance.now());
