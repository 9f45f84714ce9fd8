/** Tokens of several texts as numbers: equal tokens get equal numbers, from 0 up in the order of their first use. */
export function numberTokens(texts: readonly (readonly string[])[]): readonly Int32Array[] {
  numbers.clear();
  const numbered = texts.map((tokens) => {
    const symbols = new Int32Array(tokens.length);
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] as string;
      let number = numbers.get(token);
      if (number === undefined) numbers.set(token, (number = numbers.size));
      symbols[at] = number;
    }
    return symbols;
  });
  numbers.clear();
  return numbered;
}

const numbers = new Map<string, number>();
