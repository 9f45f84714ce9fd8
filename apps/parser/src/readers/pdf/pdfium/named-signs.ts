import { readCffNames } from "./cff-names.ts";

type Alphabet = Readonly<Record<number, string>>;

/** Signs of the Symbol font, by their codes (ISO 32000-1, D.5). */
const symbol: Alphabet = {
  42: "∗",
  45: "−",
  64: "≅",
  109: "μ",
  163: "≤",
  165: "∞",
  176: "°",
  177: "±",
  178: "″",
  179: "≥",
  180: "×",
  183: "•",
  184: "÷",
  185: "≠",
  187: "≈",
  210: "®",
  211: "©",
  212: "™",
};
/** Mathematical symbols of TeX, by their codes (cmsy); the ring is the sign of degrees. */
const mathematicalSymbols: Alphabet = {
  0: "−",
  1: "·",
  2: "×",
  3: "∗",
  4: "÷",
  6: "±",
  14: "°",
  15: "•",
  20: "≤",
  21: "≥",
  24: "∼",
  25: "≈",
  48: "′",
};

interface Shape {
  readonly width: number;
  readonly height: number;
  /** Height of its middle above the baseline. */
  readonly middle: number;
}

/** Sizes of mathematical symbols in ems, by their codes. */
const shapes: Readonly<Record<number, Shape>> = {
  0: { width: 0.607, height: 0.042, middle: 0.25 },
  1: { width: 0.104, height: 0.104, middle: 0.25 },
  2: { width: 0.481, height: 0.481, middle: 0.25 },
  14: { width: 0.388, height: 0.388, middle: 0.25 },
  15: { width: 0.388, height: 0.388, middle: 0.25 },
  20: { width: 0.607, height: 0.773, middle: 0.249 },
  21: { width: 0.607, height: 0.773, middle: 0.249 },
  24: { width: 0.663, height: 0.233, middle: 0.25 },
};
/** A glyph is no further from the shape of its sign than this, and so much nearer to it than to any other one, in ems. */
const maxDistance = 0.2;
const minLead = 0.05;

/** The signs of a font program of 3B2, the system that Springer, Elsevier and others set articles with. */
export interface NamedSigns {
  /** By the codes of the file; empty where the file has a table of its own that says which glyph a code draws. */
  readonly byCode: ReadonlyMap<number, string>;
  /** Codes in the alphabet of mathematical symbols of the glyphs that the program has; empty for other alphabets. */
  readonly symbols: readonly number[];
}

const none: NamedSigns = { byCode: new Map(), symbols: [] };
/** Bytes of a font program in which its name stands. */
const nameWithinBytes = 200;

/** Reads a font program that names its glyphs `C` and their code in the font that they were taken from. */
export function readNamedSigns(program: Buffer): NamedSigns {
  const name = program.toString("latin1", 0, nameWithinBytes);
  const isSymbol = /AdvPSSym/.test(name);
  if (!isSymbol && !/Adv(?:P4C4E74|MT_SY)/.test(name)) return none;
  const alphabet = isSymbol ? symbol : mathematicalSymbols;
  const codes = [...readCffNames(program)].map(([code, glyph]) => {
    return { code, original: Number(/^C(\d{1,3})$/.exec(glyph)?.[1]) };
  });
  const symbols = isSymbol ? [] : codes.map(({ original }) => original);
  // Glyphs that kept their codes are numbered anew by the file.
  if (codes.some(({ code, original }) => code === original)) return { byCode: new Map(), symbols };
  return { byCode: new Map(codes.map(({ code, original }) => [code, alphabet[original] ?? ""])), symbols };
}

/** The mathematical symbol of these that has the shape of a glyph; undefined where none has, or several have. */
export function signOfShape(symbols: readonly number[], { width, height, middle }: Shape): string | undefined {
  const [best, second] = symbols
    .flatMap((code) => {
      const shape = shapes[code];
      if (shape === undefined) return [];
      const distance =
        Math.abs(shape.width - width) + Math.abs(shape.height - height) + Math.abs(shape.middle - middle) / 2;
      return [{ code, distance }];
    })
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined || best.distance > maxDistance) return undefined;
  return second !== undefined && second.distance - best.distance < minLead ? undefined : mathematicalSymbols[best.code];
}
