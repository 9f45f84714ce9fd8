/** How old a figure may be when it is told, in milliseconds. */
const keepMs = 60_000;

/**
 * The last value of what takes long to measure; undefined while there is none. It is measured anew in the background when it
 * is old, once at a time; one that fails leaves no value.
 */
export function keepFigure(measure: () => Promise<number>, now = (): number => performance.now()) {
  let value: number | undefined;
  let measuredMs = -Infinity;
  let isMeasuring = false;
  const begin = async (): Promise<void> => {
    isMeasuring = true;
    try {
      value = await measure();
    } catch {
      // Absent is what a figure is that nobody knows; the cache's own operations tell why.
      value = undefined;
    }
    measuredMs = now();
    isMeasuring = false;
  };
  return (): number | undefined => {
    if (!isMeasuring && now() - measuredMs >= keepMs) void begin();
    return value;
  };
}
