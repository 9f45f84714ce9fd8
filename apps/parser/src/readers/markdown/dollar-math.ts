import type { Extension } from "micromark-extension-gfm";

type Construct = Exclude<NonNullable<NonNullable<Extension["text"]>[string]>, readonly unknown[]>;
type Tokenizer = Construct["tokenize"];
type State = ReturnType<Tokenizer>;
type Effects = Parameters<Tokenizer>[0];
type Code = Parameters<State>[0];
type Token = ReturnType<Effects["enter"]>;

const dollar = 36;
const backslash = 92;

/**
 * Formulas in text between dollar signs as Pandoc reads them, so that prices stay prices: a single dollar sign opens only
 * before a non-space, and closes only after a non-space and not before a digit. Runs of several have no such rule. A
 * backslash keeps the sign after it from closing. Gives the tokens of micromark-extension-math.
 */
export function dollarMath(): Extension {
  return {
    text: {
      [dollar]: {
        name: "dollarMath",
        tokenize(effects, ok, nok) {
          return new DollarMath({ effects, ok, nok, failedSizes: failedSizesOf(this) }).start;
        },
        previous(code) {
          return code !== dollar || this.events.at(-1)?.[1].type === "characterEscape";
        },
      },
    },
  };
}

// A run that found no partner up to the end of its text means that later runs of its length find none either; without
// this, a text of many dollar signs would take time in the square of their number.
const failures = new WeakMap<object, Set<number>>();

function failedSizesOf(tokenizer: object): Set<number> {
  const known = failures.get(tokenizer) ?? new Set<number>();
  failures.set(tokenizer, known);
  return known;
}

interface MathParts {
  readonly effects: Effects;
  readonly ok: State;
  readonly nok: State;
  readonly failedSizes: Set<number>;
}

class DollarMath {
  readonly #parts: MathParts;
  #openSize = 0;
  #closeSize = 0;
  #lastCode: Code = null;
  #closing: Token | undefined;

  constructor(parts: MathParts) {
    this.#parts = parts;
  }

  readonly start: State = (code) => {
    this.#parts.effects.enter("mathText");
    this.#parts.effects.enter("mathTextSequence");
    return this.#inOpening(code);
  };

  readonly #inOpening: State = (code) => {
    const { effects, nok, failedSizes } = this.#parts;
    if (code === dollar) {
      effects.consume(code);
      this.#openSize++;
      return this.#inOpening;
    }
    effects.exit("mathTextSequence");
    if (failedSizes.has(this.#openSize) || (this.#openSize === 1 && isSpace(code))) return nok(code);
    return this.#between(code);
  };

  readonly #between: State = (code) => {
    const { effects, nok, failedSizes } = this.#parts;
    if (code === null) {
      failedSizes.add(this.#openSize);
      return nok(code);
    }
    if (code === dollar) {
      this.#closing = effects.enter("mathTextSequence");
      this.#closeSize = 0;
      return this.#inClosing(code);
    }
    if (isLineEnding(code)) {
      effects.enter("lineEnding");
      this.#consume(code);
      effects.exit("lineEnding");
      return this.#between;
    }
    effects.enter("mathTextData");
    return this.#inText(code);
  };

  readonly #inText: State = (code) => {
    if (code === null || code === dollar || isLineEnding(code)) {
      this.#parts.effects.exit("mathTextData");
      return this.#between(code);
    }
    this.#consume(code);
    return code === backslash ? this.#afterBackslash : this.#inText;
  };

  readonly #afterBackslash: State = (code) => {
    if (code !== dollar && code !== backslash) return this.#inText(code);
    this.#consume(code);
    return this.#inText;
  };

  readonly #inClosing: State = (code) => {
    const { effects, ok } = this.#parts;
    if (code === dollar) {
      effects.consume(code);
      this.#closeSize++;
      return this.#inClosing;
    }
    const mayClose = this.#openSize > 1 || (!isSpace(this.#lastCode) && !isDigit(code));
    if (this.#closeSize === this.#openSize && mayClose) {
      effects.exit("mathTextSequence");
      effects.exit("mathText");
      return ok(code);
    }
    if (this.#closing !== undefined) this.#closing.type = "mathTextData";
    this.#lastCode = dollar;
    return this.#inText(code);
  };

  #consume(code: Code): void {
    this.#parts.effects.consume(code);
    this.#lastCode = code;
  }
}

// Line endings and spaces have negative codes in micromark; null is the end of the text.
function isSpace(code: Code): boolean {
  return code === null || code < 0 || /\s/.test(String.fromCharCode(code));
}

function isLineEnding(code: Code): boolean {
  return code !== null && code < -2;
}

function isDigit(code: Code): boolean {
  return code !== null && code >= 48 && code <= 57;
}
