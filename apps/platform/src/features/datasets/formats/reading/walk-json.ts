import { pointerTo } from "../json-value.ts";

export type JsonFaultCode =
  | "TRAILING_COMMA"
  | "ROW_NOT_CLOSED"
  | "SEVERAL_VALUES_IN_LINE"
  | "CONTROL_CHARACTER"
  | "SINGLE_QUOTES"
  | "PYTHON_LITERAL"
  | "NOT_FINITE"
  | "COMMENT"
  | "UNQUOTED_KEY"
  | "BAD_ESCAPE"
  | "ROW_TOO_DEEP"
  | "JSON_SYNTAX";

export interface JsonWalk {
  /** The first thing that JSON does not allow, and its index in the text. */
  readonly fault: { readonly code: JsonFaultCode; readonly index: number } | undefined;
  readonly duplicates: readonly { readonly pointer: string; readonly index: number }[];
}

const space = /[ \t\r\n]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
const deepest = 64;

/**
 * Reads one JSON value by the letter of RFC 8259, to say where and how a text departs from it, and which keys stand twice.
 * Slow beside `JSON.parse`: meant for the rows that need an explanation.
 */
export function walkJson(text: string): JsonWalk {
  const walker = new Walker(text);
  try {
    walker.value("", 0);
    walker.skipSpace();
    if (walker.at < text.length) walker.fail(afterValue(text.slice(walker.at)));
  } catch (thrown) {
    if (!(thrown instanceof Stop)) throw thrown;
    return { fault: { code: thrown.code, index: thrown.index }, duplicates: walker.duplicates };
  }
  return { fault: undefined, duplicates: walker.duplicates };
}

class Stop extends Error {
  readonly code: JsonFaultCode;
  readonly index: number;
  constructor(code: JsonFaultCode, index: number) {
    super(code);
    this.code = code;
    this.index = index;
  }
}

class Walker {
  at = 0;
  readonly duplicates: { pointer: string; index: number }[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  value(pointer: string, depth: number): void {
    this.skipSpace();
    const char = this.text[this.at];
    if (depth > deepest) this.fail("ROW_TOO_DEEP");
    if (char === "{") this.object(pointer, depth);
    else if (char === "[") this.array(pointer, depth);
    else if (char === '"') this.string();
    else if (!this.match(number) && !this.match(literal)) this.fail(this.wrongValue());
  }

  fail(code: JsonFaultCode, index = this.at): never {
    throw new Stop(code, index);
  }

  skipSpace(): void {
    this.match(space);
  }

  private object(pointer: string, depth: number): void {
    const keys = new Set<string>();
    this.at++;
    this.skipSpace();
    if (this.take("}")) return;
    do {
      this.skipSpace();
      const start = this.at;
      const key = this.key();
      if (keys.has(key)) this.duplicates.push({ pointer: pointerTo(pointer, key), index: start });
      keys.add(key);
      this.skipSpace();
      if (!this.take(":")) this.fail(this.wrongEnd());
      this.value(pointerTo(pointer, key), depth + 1);
      this.skipSpace();
    } while (this.take(","));
    if (!this.take("}")) this.fail(this.wrongEnd());
  }

  private array(pointer: string, depth: number): void {
    this.at++;
    this.skipSpace();
    if (this.take("]")) return;
    let index = 0;
    do {
      this.value(pointerTo(pointer, index++), depth + 1);
      this.skipSpace();
    } while (this.take(","));
    if (!this.take("]")) this.fail(this.wrongEnd());
  }

  private key(): string {
    if (this.text[this.at] === '"') return this.string();
    const code = this.wrongValue();
    return this.fail(/[\p{L}_$]/u.test(this.text[this.at] ?? "") ? "UNQUOTED_KEY" : code);
  }

  private string(): string {
    const start = this.at++;
    for (; ; this.at++) {
      const char = this.text[this.at];
      if (char === undefined) this.fail("ROW_NOT_CLOSED", start);
      if (char === '"') break;
      if (char < " ") this.fail("CONTROL_CHARACTER");
      if (char === "\\") this.escape();
    }
    this.at++;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private escape(): void {
    const isGood = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(this.text.slice(this.at + 1, this.at + 6));
    if (!isGood) this.fail("BAD_ESCAPE");
    this.at++;
  }

  private wrongValue(): JsonFaultCode {
    const rest = this.text.slice(this.at, this.at + 12);
    if (rest === "") return "ROW_NOT_CLOSED";
    if (/^[}\]]/.test(rest) && /,\s*$/.test(this.text.slice(Math.max(0, this.at - 40), this.at)))
      return "TRAILING_COMMA";
    if (rest.startsWith(",")) return "TRAILING_COMMA";
    if (/^['‘’“”]/.test(rest)) return "SINGLE_QUOTES";
    if (/^(?:True|False|None)\b/.test(rest)) return "PYTHON_LITERAL";
    if (/^[+-]?(?:NaN|Infinity|inf\b|nan\b)/.test(rest)) return "NOT_FINITE";
    return /^(?:\/[/*]|#)/.test(rest) ? "COMMENT" : "JSON_SYNTAX";
  }

  private wrongEnd(): JsonFaultCode {
    const code = this.wrongValue();
    return code === "ROW_NOT_CLOSED" || code === "COMMENT" ? code : "JSON_SYNTAX";
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }
}

const afterValue = (rest: string): JsonFaultCode =>
  /^(?:\/[/*]|#)/.test(rest) ? "COMMENT" : /^,\s*$/.test(rest) ? "TRAILING_COMMA" : "SEVERAL_VALUES_IN_LINE";
