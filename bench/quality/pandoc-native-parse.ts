/** A value of Haskell data syntax, as `pandoc -t native` writes it; lists and tuples are both arrays. */
export type NativeValue = string | number | readonly NativeValue[] | NativeCall;

/** A constructor with its arguments; fields of records are left out, but for the last one's value. */
export interface NativeCall {
  readonly name: string;
  readonly args: readonly NativeValue[];
}

/** The blocks of a `.native` file, whether it is a list of them or a whole `Pandoc`. */
export function parsePandocNative(text: string): readonly NativeValue[] {
  const value = new NativeParser(text).parse();
  if (Array.isArray(value)) return value as readonly NativeValue[];
  const body = (value as NativeCall).args.at(-1);
  if (!Array.isArray(body)) throw new Error("not a list of blocks");
  return body as readonly NativeValue[];
}

export function isCall(value: NativeValue | undefined): value is NativeCall {
  return typeof value === "object" && !Array.isArray(value);
}

const tokenPattern =
  /\s*(?:("(?:[^"\\]|\\[\s\S])*")|(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)|([A-Za-z_][\w.']*)|([[\](){},=]))/gy;

class NativeParser {
  readonly #tokens: string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = [...text.trim().matchAll(tokenPattern)].map(([, ...groups]) => groups.find((group) => group) ?? "");
  }

  parse(): NativeValue {
    return this.#expression();
  }

  #expression(): NativeValue {
    const name = this.#tokens[this.#at] ?? "";
    if (!/^[A-Za-z_]/.test(name)) return this.#atom();
    this.#at++;
    const args: NativeValue[] = [];
    while (this.#startsAtom()) args.push(this.#atom());
    return { name, args };
  }

  #startsAtom(): boolean {
    return /^["\d[({A-Za-z_-]/.test(this.#tokens[this.#at] ?? "");
  }

  #atom(): NativeValue {
    const token = this.#tokens[this.#at++] ?? "";
    if (token.startsWith('"')) return unescape(token.slice(1, -1));
    if (/^-?\d/.test(token)) return Number(token);
    if (token === "[") return this.#sequence("]");
    if (token === "{") return this.#record();
    if (token !== "(") return { name: token, args: [] };
    const items = this.#sequence(")");
    return items.length === 1 ? (items[0] as NativeValue) : items;
  }

  #sequence(close: string): NativeValue[] {
    const items: NativeValue[] = [];
    while (this.#at < this.#tokens.length && this.#tokens[this.#at] !== close) {
      items.push(this.#expression());
      if (this.#tokens[this.#at] === ",") this.#at++;
    }
    this.#at++;
    return items;
  }

  #record(): NativeValue {
    let value: NativeValue = [];
    while (this.#at < this.#tokens.length && this.#tokens[this.#at] !== "}") {
      this.#at += 2; // name and equals sign
      value = this.#expression();
      if (this.#tokens[this.#at] === ",") this.#at++;
    }
    this.#at++;
    return value;
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "&": "" };

function unescape(text: string): string {
  return text.replaceAll(/\\(?:(\d+)|([\s\S]))/g, (_, code: string | undefined, character: string) =>
    code === undefined ? (escapes[character] ?? character) : String.fromCodePoint(Number(code)),
  );
}
