/** The texts that are not empty, with the separator between them. */
export function* separate(texts: Iterable<string>, separator: string): Generator<string> {
  let isFirst = true;
  for (const text of texts) {
    if (text === "") continue;
    if (!isFirst) yield separator;
    isFirst = false;
    yield text;
  }
}
