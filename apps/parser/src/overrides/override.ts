/**
 * One key of `engine_overrides`, declared once and used to validate requests, to document the key and to type the result.
 */
export interface Override<TValue> {
  /** What the key does, one sentence. */
  readonly description: string;
  /** The allowed values in words or as a list: `markdown, text, html, json`. */
  readonly allowed: string;
  /** The value when the key is absent. */
  readonly fallback: TValue;
  /** Never logged, never in a message. */
  readonly isSecret: boolean;
  /** An address the service will connect to on behalf of the caller, so the guard of `file_url` applies. */
  readonly isAddress: boolean;
  /** The value, or undefined when the text is not allowed. Must not throw. */
  parse(text: string): TValue | undefined;
}

/** Overrides by their key on the wire (`output_format`). */
export type OverrideSet = Readonly<Record<string, Override<unknown>>>;

/** What a set parses to, under the same keys. */
export type OverrideValues<TSet extends OverrideSet> = {
  readonly [Key in keyof TSet]: TSet[Key] extends Override<infer TValue> ? TValue : never;
};

type Common = "isSecret" | "isAddress";
const plain: Pick<Override<unknown>, Common> = { isSecret: false, isAddress: false };

export function choice<const TValue extends string>(
  values: readonly TValue[],
  fallback: TValue,
  description: string,
): Override<TValue> {
  return {
    ...plain,
    description,
    fallback,
    allowed: values.join(", "),
    parse: (text) => values.find((value) => value === text.trim().toLowerCase()),
  };
}

const truths = new Set(["1", "true", "yes", "y", "on"]);
const falsehoods = new Set(["0", "false", "no", "n", "off"]);

export function flag(fallback: boolean, description: string): Override<boolean> {
  return {
    ...plain,
    description,
    fallback,
    allowed: "true, false",
    parse: (text) => {
      const word = text.trim().toLowerCase();
      return truths.has(word) ? true : falsehoods.has(word) ? false : undefined;
    },
  };
}

export interface IntegerBounds {
  readonly min: number;
  readonly max: number;
}

/** An integer within bounds, both included; undefined when absent. */
export function integer({ min, max }: IntegerBounds, description: string): Override<number | undefined> {
  return {
    ...plain,
    description,
    fallback: undefined,
    allowed: `an integer from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export function matching(pattern: RegExp, allowed: string, description: string): Override<string | undefined> {
  return {
    ...plain,
    description,
    fallback: undefined,
    allowed,
    parse: (value) => (pattern.test(value.trim()) ? value.trim() : undefined),
  };
}

/** A password or key: any text up to 4,096 characters, kept out of logs and messages. */
export function secret(description: string): Override<string | undefined> {
  return {
    ...plain,
    description,
    fallback: undefined,
    isSecret: true,
    allowed: "any text of at most 4,096 characters",
    parse: (value) => (value.length <= 4096 ? value : undefined),
  };
}

/** A key that travels as the value of an HTTP header, which holds visible ASCII only (RFC 9110, section 5.5). */
export function headerSecret(description: string): Override<string | undefined> {
  return {
    ...matching(/^[\x21-\x7e]{1,4096}$/, "1 to 4,096 characters of visible ASCII, without spaces", description),
    isSecret: true,
  };
}

/** An http or https address that the engine connects to. */
export function address(description: string): Override<string | undefined> {
  return {
    ...plain,
    description,
    fallback: undefined,
    isAddress: true,
    allowed: "an http or https URL of at most 2,048 characters",
    parse: (value) => (isHttpUrl(value.trim()) ? value.trim() : undefined),
  };
}

function isHttpUrl(value: string): boolean {
  return value.length <= 2048 && /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value);
}
