import { compileDateFormat, type DateSystem } from "./format-date.ts";
import { compileDigits, writeFraction, writeLiterals } from "./format-digits.ts";
import { type FormatCondition, type FormatSection, type FormatToken, tokenizeFormat } from "./format-tokens.ts";

/**
 * Shows the value of a numeric cell as text; empty when the format hides it.
 *
 * Numbers look as the sheet shows them (percent, currency, fixed places, thousands, fractions, exponents). Dates and times
 * are the exception: they are ISO 8601, as precise as the format shows them, because `3/4/24` cannot be understood without
 * the locale of the program that showed it.
 */
export type FormatNumber = (value: number) => string;

/** Compiles a number format code (ECMA-376 part 1, 18.8.31); codes that are not understood show numbers as General does. */
export function compileNumberFormat(code: string, dates: DateSystem): FormatNumber {
  if (code === "" || /^general$/i.test(code)) return formatGeneral;
  const sections = tokenizeFormat(code).map((section) => compileSection(section, dates));
  return (value) => {
    if (!Number.isFinite(value)) return formatGeneral(value);
    const section = chooseSection(sections, value);
    return section === undefined ? formatGeneral(value) : section.write(value);
  };
}

/** Up to fifteen significant digits, which is what spreadsheets keep. */
export function formatGeneral(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : String(value);
}

interface CompiledSection {
  readonly condition: FormatCondition | undefined;
  /** @param value With its sign; the section knows whether it writes one. */
  write(value: number): string;
}

// Without conditions: positive; negative; zero; text. A section for negatives writes no sign of its own.
function chooseSection(sections: readonly CompiledSection[], value: number): CompiledSection | undefined {
  const [first, second, third] = sections;
  if (first?.condition !== undefined || second?.condition !== undefined) {
    return sections.find(({ condition }) => condition === undefined || holds(condition, value));
  }
  const numeric = sections.length > 3 ? 3 : sections.length;
  if (numeric === 1 || value > 0) return first;
  if (value < 0) return second && { ...second, write: (negative) => second.write(-negative) };
  return numeric > 2 ? third : first;
}

function holds({ operator, operand }: FormatCondition, value: number): boolean {
  switch (operator) {
    case "<":
      return value < operand;
    case "<=":
      return value <= operand;
    case ">":
      return value > operand;
    case ">=":
      return value >= operand;
    case "=":
      return value === operand;
    default:
      return value !== operand;
  }
}

function compileSection({ tokens, condition }: FormatSection, dates: DateSystem): CompiledSection {
  return { condition, write: compileTokens(tokens, dates) };
}

function compileTokens(tokens: readonly FormatToken[], dates: DateSystem): FormatNumber {
  const has = (type: FormatToken["type"]): boolean => tokens.some((token) => token.type === type);
  if (has("date") || has("elapsed")) {
    const formatDate = compileDateFormat(tokens, dates);
    return (value) => formatDate(value) ?? formatGeneral(value);
  }
  if (has("general") || has("text")) return (value) => tidy(writeAround(tokens, formatGeneral(value)));
  if (!has("digit")) return () => tidy(writeLiterals(tokens));
  if (has("slash")) return (value) => tidy(signed(value, (positive) => writeFraction(positive, tokens)));
  const write = compileDigits(tokens);
  return (value) => tidy(signed(value, write));
}

// The sign stands first, but a number that rounds to zero has none.
function signed(value: number, write: (positive: number) => string): string {
  if (value >= 0) return write(value);
  const text = write(-value);
  return /[1-9]/.test(text) ? `-${text.trimStart()}` : text;
}

function writeAround(tokens: readonly FormatToken[], text: string): string {
  return tokens
    .map((token) => (token.type === "general" || token.type === "text" ? text : writeLiterals([token])))
    .join("");
}

function tidy(text: string): string {
  return text.includes(" ") ? text.replaceAll(/ {2,}/g, " ").trim() : text;
}
