import type { CueLine } from "../../text/join-cues.ts";

const token =
  /<(\/?)([a-z]*)((?:[^<>a-z\n][^<>\n]{0,300})?)>|<[\d:.]{1,20}>|&([a-z]{1,8}|#\d{1,7}|#x[\da-f]{1,6});|\n|[^<&\n]+|[<&]/gi;
const tags = new Set(["c", "i", "b", "u", "v", "ruby", "rt", "lang", "font", "s"]);
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  nbsp: "\u00a0",
  lrm: "\u200e",
  rlm: "\u200f",
  quot: '"',
  apos: "'",
};

/** Lines of a caption without markup, each with the speaker whose voice tag it stands in. */
export function parseCueText(text: string): readonly CueLine[] {
  const lines: { speaker?: string; text: string }[] = [];
  let speaker: string | undefined;
  let line = "";
  const flush = (): void => {
    const clean = line.replace(/[ \t]+/g, " ").trim();
    if (clean !== "") lines.push(speaker === undefined ? { text: clean } : { speaker, text: clean });
    line = "";
  };
  for (const match of text.matchAll(token)) {
    const [whole, slash, name = "", rest = "", entity] = match;
    const voice = name.toLowerCase() === "v";
    if (voice || whole === "\n") flush();
    if (voice) speaker = slash === "/" ? undefined : voiceName(rest);
    else line += textOf({ whole, slash, name, entity });
  }
  flush();
  return lines;
}

// `<v.loud Mary>` has classes before the name.
function voiceName(annotation: string): string | undefined {
  const name = annotation
    .replace(/^(?:\.[^\s.]+)+/, "")
    .replace(/\s+/g, " ")
    .trim();
  return name === "" ? undefined : name;
}

interface Token {
  readonly whole: string;
  readonly slash: string | undefined;
  readonly name: string;
  readonly entity: string | undefined;
}

function textOf({ whole, slash, name, entity }: Token): string {
  if (entity !== undefined) return entityText(entity.toLowerCase()) ?? whole;
  if (whole === "\n") return "";
  if (name.toLowerCase() === "rt") return slash === "/" ? ")" : " (";
  const isMarkup =
    /^<[\d:.]+>$/.test(whole) || (whole.length > 2 && whole.startsWith("<") && tags.has(name.toLowerCase()));
  return isMarkup ? "" : whole;
}

function entityText(entity: string): string | undefined {
  if (!entity.startsWith("#")) return Object.hasOwn(entities, entity) ? entities[entity] : undefined;
  const code = entity.startsWith("#x") ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
