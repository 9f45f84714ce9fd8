/** The key most like the one given, when it is near enough to be a slip of the pen. */
export function nearestKey(given: string, keys: readonly string[]): string | undefined {
  const word = given.slice(0, 64).toLowerCase().replaceAll("-", "_");
  const ranked = keys
    .map((key) => ({ key, distance: editDistance(word, key) }))
    .sort((a, b) => a.distance - b.distance || a.key.localeCompare(b.key));
  const nearest = ranked[0];
  return nearest !== undefined && nearest.distance <= Math.max(2, word.length / 3) ? nearest.key : undefined;
}

// Levenshtein distance, one row at a time.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
