const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** The two largest units of a time: `3 days 4 hours`. @param seconds not negative */
export function formatDuration(seconds: number, language: string): string {
  const whole = Math.max(0, Math.floor(seconds));
  const first = units.findIndex(([, size]) => whole >= size);
  if (first === -1) return inUnit(0, "second", language);
  let rest = whole;
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : inUnit(count, unit, language);
  });
  return parts.filter(Boolean).join(" ");
}

const inUnit = (count: number, unit: string, language: string): string =>
  new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
