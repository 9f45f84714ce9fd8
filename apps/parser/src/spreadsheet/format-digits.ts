import type { FormatToken } from "./format-tokens.ts";

/** How one section writes a number that is not a date. */
export interface DigitLayout {
  readonly integer: readonly FormatToken[];
  readonly decimals: readonly FormatToken[];
  /** Digits of the exponent, with what stands around them; absent for plain numbers. */
  readonly exponent?: { readonly digits: number; readonly showsPlus: boolean };
  readonly suffix: readonly FormatToken[];
  readonly hasPoint: boolean;
  readonly hasThousands: boolean;
  /** What the value is multiplied with first: 100 for a percent sign, a thousandth for each trailing comma. */
  readonly scale: number;
}

/** Splits the tokens of a section into the places of a number. */
function layOutDigits(tokens: readonly FormatToken[]): DigitLayout {
  const digitIndexes = tokens.flatMap(({ type }, index) => (type === "digit" ? [index] : []));
  const pointAt = tokens.findIndex(({ type }) => type === "point");
  const exponentAt = tokens.findIndex(({ type }) => type === "exponent");
  const numberEnd = exponentAt === -1 ? (digitIndexes.at(-1) ?? -1) + 1 : exponentAt;
  const integerEnd = pointAt === -1 ? numberEnd : pointAt;
  const lastInteger = digitIndexes.findLast((index) => index < integerEnd) ?? -1;
  const firstInteger = digitIndexes[0] ?? 0;
  const isComma = (token: FormatToken, index: number): boolean => token.type === "comma" && index > firstInteger;
  const decimalsEnd = Math.max(numberEnd, pointAt + 1);
  const scalingFrom = pointAt === -1 ? lastInteger : decimalsEnd - 1;
  const scalingCommas =
    countCommas(tokens, scalingFrom + 1) + (pointAt === -1 ? 0 : countCommas(tokens, lastInteger + 1));
  const percents = tokens.filter(({ type }) => type === "percent").length;
  const end = exponentAt === -1 ? decimalsEnd : lastDigitAfter(tokens, exponentAt) + 1;
  const exponent = tokens[exponentAt];
  return {
    integer: forceZeros(tokens.slice(0, Math.max(0, integerEnd)).filter((token, index) => !isComma(token, index))),
    decimals: pointAt === -1 ? [] : tokens.slice(pointAt + 1, decimalsEnd).filter(({ type }) => type !== "comma"),
    ...(exponent?.type === "exponent" && {
      exponent: { digits: end - exponentAt - 1, showsPlus: exponent.text.endsWith("+") },
    }),
    suffix: tokens.slice(end).filter(({ type }) => type !== "comma"),
    hasPoint: pointAt !== -1,
    hasThousands: tokens.some((token, index) => isComma(token, index) && index < lastInteger),
    scale: 100 ** percents / 1000 ** scalingCommas,
  };
}

function countCommas(tokens: readonly FormatToken[], from: number): number {
  let count = 0;
  while (tokens[from + count]?.type === "comma") count++;
  return count;
}

function lastDigitAfter(tokens: readonly FormatToken[], from: number): number {
  let at = from;
  while (tokens[at + 1]?.type === "digit") at++;
  return at;
}

/** Compiles a section into a function that writes numbers which are not negative. */
export function compileDigits(tokens: readonly FormatToken[]): (value: number) => string {
  const layout = layOutDigits(tokens);
  const plain = toPlainLayout(layout);
  return (value) => (plain === undefined ? undefined : writePlain(value, plain)) ?? writeDigits(value, layout);
}

// A place right of a `0` shows a digit whatever it asks for itself: `0#` shows 7 as 07.
function forceZeros(integer: readonly FormatToken[]): readonly FormatToken[] {
  const firstZero = integer.findIndex((token) => token.type === "digit" && token.text === "0");
  if (firstZero === -1) return integer;
  return integer.map((token, index) => (index > firstZero && token.type === "digit" ? { ...token, text: "0" } : token));
}

/** `#,##0.00` and the like, between fixed texts: nearly all formats of numbers. */
interface PlainLayout {
  readonly before: string;
  readonly after: string;
  readonly places: number;
  readonly minIntegerDigits: number;
  readonly hasThousands: boolean;
  readonly scale: number;
}

function toPlainLayout(layout: DigitLayout): PlainLayout | undefined {
  const { integer, decimals, suffix } = layout;
  const first = integer.findIndex(({ type }) => type === "digit");
  const last = integer.findLastIndex(({ type }) => type === "digit");
  const digits = integer.slice(first, last + 1);
  const isPlain =
    layout.exponent === undefined &&
    first !== -1 &&
    digits.every(({ type }) => type === "digit") &&
    last === integer.length - 1 &&
    (layout.hasPoint ? decimals.length > 0 : decimals.length === 0) &&
    decimals.length <= 6 &&
    decimals.every((token) => token.type === "digit" && token.text === "0") &&
    layout.scale >= 1;
  if (!isPlain) return undefined;
  return {
    before: writeLiterals(integer.slice(0, first)),
    after: writeLiterals(suffix),
    places: decimals.length,
    minIntegerDigits: digits.filter((token) => token.type === "digit" && token.text === "0").length,
    hasThousands: layout.hasThousands,
    scale: layout.scale,
  };
}

// By whole numbers, as long as the value is far enough from a tie that binary fractions cannot change the rounding.
function writePlain(value: number, layout: PlainLayout): string | undefined {
  const power = 10 ** layout.places;
  const shifted = value * layout.scale * power;
  if (shifted >= 1e14) return undefined;
  const floor = Math.floor(shifted);
  const rest = shifted - floor;
  if (Math.abs(rest - 0.5) < 1e-3) return undefined;
  const rounded = rest > 0.5 ? floor + 1 : floor;
  const whole = Math.floor(rounded / power);
  const decimals = layout.places === 0 ? "" : `.${String(rounded - whole * power).padStart(layout.places, "0")}`;
  const padded = String(whole).padStart(layout.minIntegerDigits, "0");
  const digits = whole === 0 && layout.minIntegerDigits === 0 ? "" : padded;
  return `${layout.before}${layout.hasThousands ? groupThousands(digits) : digits}${decimals}${layout.after}`;
}

function groupThousands(digits: string): string {
  let text = digits.slice(-3);
  for (let end = digits.length - 3; end > 0; end -= 3) text = `${digits.slice(Math.max(0, end - 3), end)},${text}`;
  return text;
}

function writeDigits(value: number, layout: DigitLayout): string {
  const places = layout.decimals.filter(({ type }) => type === "digit").length;
  const scaled = Number((value * layout.scale).toPrecision(15));
  if (scaled >= 1e21) return writeLiterals(layout.integer) + String(scaled) + writeLiterals(layout.suffix);
  if (layout.exponent !== undefined) return writeExponent(scaled, layout, places);
  const [integer = "0", decimals = ""] = roundHalfUp(scaled, places).split(".");
  return writeInteger(integer, layout) + writeDecimals(decimals, layout) + writeLiterals(layout.suffix);
}

/** Rounds the decimal value, not its binary neighbour: 1.005 to two places is 1.01, as spreadsheets have it. */
export function roundHalfUp(value: number, places: number): string {
  const text = String(value);
  if (text.includes("e") || places > 15) return value.toFixed(Math.min(places, 100));
  return Number(`${Math.round(Number(`${text}e${places}`))}e-${places}`).toFixed(places);
}

function writeInteger(digits: string, { integer, hasThousands }: DigitLayout): string {
  const places = integer.filter(({ type }) => type === "digit");
  let rest = digits === "0" ? "" : digits;
  let text = "";
  let written = 0;
  let placesLeft = places.length;
  for (const token of integer.toReversed()) {
    if (token.type !== "digit") {
      text = writeLiteral(token) + text;
      continue;
    }
    const take = --placesLeft === 0 ? rest.length : Math.min(1, rest.length);
    const taken = take > 0 ? rest.slice(rest.length - take) : token.text === "0" ? "0" : "";
    rest = rest.slice(0, rest.length - take);
    for (const digit of taken.split("").reverse()) {
      if (hasThousands && written > 0 && written % 3 === 0) text = `,${text}`;
      text = digit + text;
      written++;
    }
  }
  return places.length === 0 ? text + rest : text;
}

function writeDecimals(digits: string, { decimals, hasPoint }: DigitLayout): string {
  if (!hasPoint) return "";
  let text = "";
  let at = 0;
  for (const token of decimals) {
    if (token.type !== "digit") text += writeLiteral(token);
    else if (token.text === "0" || /[1-9]/.test(digits.slice(at))) text += digits[at++] ?? "0";
    else at++;
  }
  return text === "" ? "" : `.${text}`;
}

// The exponent is a multiple of the number of places before the point: ##0.0E+0 is engineering notation.
function writeExponent(value: number, layout: DigitLayout, places: number): string {
  const step = Math.max(1, layout.integer.filter(({ type }) => type === "digit").length);
  const raw = value === 0 ? 0 : Math.floor(Math.log10(value));
  let exponent = Math.floor(raw / step) * step;
  let mantissa = roundHalfUp(Number((value / 10 ** exponent).toPrecision(15)), places);
  if (Number(mantissa) >= 10 ** step) {
    exponent += step;
    mantissa = roundHalfUp(Number((value / 10 ** exponent).toPrecision(15)), places);
  }
  const [integer = "0", decimals = ""] = mantissa.split(".");
  const sign = exponent < 0 ? "-" : layout.exponent?.showsPlus === true ? "+" : "";
  const digits = String(Math.abs(exponent)).padStart(layout.exponent?.digits ?? 1, "0");
  return `${writeInteger(integer, layout)}${writeDecimals(decimals, layout)}E${sign}${digits}${writeLiterals(layout.suffix)}`;
}

/** The text of tokens that are not digits. */
export function writeLiterals(tokens: readonly FormatToken[]): string {
  return tokens.map(writeLiteral).join("");
}

function writeLiteral(token: FormatToken): string {
  switch (token.type) {
    case "literal":
      return token.text;
    case "percent":
      return "%";
    case "slash":
      return "/";
    case "date":
      return token.text;
    default:
      return "";
  }
}

/** `# ?/?` and `0 ??/16`: the nearest fraction with a denominator of as many digits, or with the one given. */
export function writeFraction(value: number, tokens: readonly FormatToken[]): string {
  const first = tokens.findIndex(({ type }) => type === "digit");
  const last = tokens.findLastIndex((token) => token.type === "digit" || ("text" in token && /^\d/.test(token.text)));
  const [before, after] = [tokens.slice(0, first), tokens.slice(last + 1)];
  return writeLiterals(before) + fractionOf(value, tokens.slice(first, last + 1)) + writeLiterals(after);
}

function fractionOf(value: number, tokens: readonly FormatToken[]): string {
  const slashAt = tokens.findIndex(({ type }) => type === "slash");
  const after = tokens.slice(slashAt + 1);
  const fixed = /^\d+/.exec(
    after
      .map((token) => ("text" in token ? token.text : " "))
      .join("")
      .replaceAll(/[?#]/g, ""),
  )?.[0];
  const digits = Math.min(4, after.filter(({ type }) => type === "digit").length);
  const hasInteger = /digit,.*literal.*digit/.test(
    tokens
      .slice(0, slashAt)
      .map(({ type }) => type)
      .join(",") + ",",
  );
  const whole = hasInteger ? Math.floor(value) : 0;
  const [top, bottom] =
    fixed !== undefined && Number(fixed) > 0
      ? [Math.round((value - whole) * Number(fixed)), Number(fixed)]
      : nearestFraction(value - whole, 10 ** Math.max(1, digits) - 1);
  if (top === bottom && hasInteger) return String(whole + 1);
  if (top === 0) return String(whole);
  return whole === 0 ? `${top}/${bottom}` : `${whole} ${top}/${bottom}`;
}

function nearestFraction(value: number, maxDenominator: number): [number, number] {
  let best: [number, number] = [Math.round(value), 1];
  for (let bottom = 2; bottom <= maxDenominator; bottom++) {
    const top = Math.round(value * bottom);
    if (Math.abs(top / bottom - value) < Math.abs(best[0] / best[1] - value) - 1e-12) best = [top, bottom];
  }
  return best;
}
