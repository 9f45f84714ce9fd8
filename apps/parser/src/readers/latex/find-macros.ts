import type { TexSource } from "./tex-source.ts";

const definition =
  /\\(?:(?:re)?newcommand|providecommand)\*?\s?(?:\{\\([A-Za-z]{1,60})\}|\\([A-Za-z]{1,60}))\s?(?=\{)|\\def\s?\\([A-Za-z]{1,60})\s?(?=\{)/g;
const maxMacros = 2000;
const maxBodyLength = 1000;

/** Bodies of the macros without arguments that a file defines, by name. */
export function findMacros(source: TexSource): ReadonlyMap<string, string> {
  const macros = new Map<string, string>();
  for (const match of source.text.matchAll(definition)) {
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    const group = source.groupAt(match.index + match[0].length);
    const isUsable = group !== undefined && group.to - group.from <= maxBodyLength && macros.size < maxMacros;
    // One that names itself would never end.
    const body = isUsable ? source.slice(group) : "";
    if (isUsable && !body.includes(`\\${name}`) && !body.includes("#")) macros.set(name, body);
  }
  return macros;
}
