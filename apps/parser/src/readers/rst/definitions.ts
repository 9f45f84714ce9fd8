const target = /^\s*\.\. _(`[^`]{1,300}`|[^:\\]{1,300}):[ \t]+(\S.*)$/;
const anonymous = /^\s*(?:\.\. __:|__)[ \t]+(\S.*)$/;
const substitution = /^\s*\.\. \|([^|]{1,200})\|[ \t]+(replace|unicode|image|date)::[ \t]*(.*)$/;

export interface Definitions {
  readonly targets: ReadonlyMap<string, string>;
  readonly substitutions: ReadonlyMap<string, string>;
}

/** Link targets and substitutions, which may be used before they are defined. */
export function findDefinitions(lines: readonly string[]): Definitions {
  const targets = new Map<string, string>();
  const substitutions = new Map<string, string>();
  let anonymousCount = 0;
  lines.forEach((line, index) => {
    if (!/^\s*(?:\.\.|__)/.test(line)) return;
    const head = line.slice(0, 4000);
    const named = target.exec(head);
    const unnamed = anonymous.exec(head)?.[1];
    const replaced = substitution.exec(head);
    if (unnamed !== undefined) targets.set(`__${anonymousCount++}`, address(unnamed));
    else if (named !== null) targets.set(referenceName((named[1] ?? "").replaceAll("`", "")), address(named[2] ?? ""));
    else if (replaced !== null)
      substitutions.set(replaced[1] ?? "", substitutionText(replaced, lines[index + 1] ?? ""));
  });
  return { targets, substitutions };
}

/** Reference names do not differ by case or spaces. */
export function referenceName(name: string): string {
  return name.trim().toLowerCase().replace(/\s+/g, " ");
}

function address(text: string): string {
  return text.trim().replace(/\\(.)/g, "$1");
}

function substitutionText(match: RegExpExecArray, next: string): string {
  const [, name = "", kind, text = ""] = match;
  if (kind === "image") return /^\s+:alt:[ \t]*(.*)$/.exec(next)?.[1] ?? name;
  if (kind === "unicode")
    return text
      .replace(/(?<!\s)\s*\.\. .*$/, "")
      .split(/\s+/)
      .map(unicodeText)
      .join("");
  return kind === "date" ? "" : text.trim();
}

function unicodeText(word: string): string {
  const digits = /^(?:0x|x|\\x|u\+?|\\u|&#x)([\da-f]{1,6});?$/i.exec(word)?.[1];
  const code = Number.parseInt(digits ?? "", 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : word;
}
