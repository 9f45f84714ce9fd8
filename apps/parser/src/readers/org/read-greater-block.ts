import type { Block } from "../../document/document.ts";
import { dedent } from "../../text/indented-lines.ts";
import { readInlines } from "./read-inlines.ts";
import { type Cursor, readNested, type Scope, type Taken } from "./scope.ts";

const begin = /^\s*#\+begin_([\w-]{1,40})(?:[ \t]+(.*))?$/i;
const titled = /^(?:note|tip|warning|important|caution|info)$/;

/** A block between `#+begin_name` and `#+end_name`; undefined when it never ends. */
export function readGreaterBlock({ lines, at }: Cursor, scope: Scope): Taken | undefined {
  const [, rawName = "", parameters = ""] = begin.exec((lines[at] ?? "").slice(0, 4000)) ?? [];
  if (rawName === "") return undefined;
  const name = rawName.toLowerCase();
  const end = findEnd(lines, at + 1, name);
  // A block without an end is no block; its first line is dropped, and the rest is text.
  if (end === undefined) return { blocks: [], lineCount: 1 };
  const content = lines.slice(at + 1, end);
  return { blocks: readContent({ name, parameters, content }, scope), lineCount: end - at + 1 };
}

// Names that have been looked for to the end of these lines in vain need not be looked for again.
const endless = new WeakMap<readonly string[], Set<string>>();

function findEnd(lines: readonly string[], from: number, name: string): number | undefined {
  if (endless.get(lines)?.has(name) === true) return undefined;
  const last = `#+end_${name}`;
  for (let at = from; at < lines.length; at++) {
    if ((lines[at] as string).trim().toLowerCase() === last) return at;
  }
  endless.set(lines, (endless.get(lines) ?? new Set()).add(name));
  return undefined;
}

interface GreaterBlock {
  readonly name: string;
  readonly parameters: string;
  readonly content: readonly string[];
}

function readContent({ name, parameters, content }: GreaterBlock, scope: Scope): Block[] {
  switch (name) {
    case "comment":
      return [];
    case "src":
    case "example":
    case "export":
      return [toCode(name, parameters, content)];
    case "quote":
      return [{ type: "quote", blocks: readNested(content, scope) }];
    case "verse":
      return [toVerse(content, scope)];
    default:
      return titled.test(name) ? [toBox(name, content, scope)] : readNested(content, scope);
  }
}

// A comma shields lines that Org would take for its own.
function toCode(name: string, parameters: string, content: readonly string[]): Block {
  const text = dedent(content.map((line) => line.replace(/^(\s*),(?=[*#,])/, "$1"))).join("\n");
  const language = name === "example" ? "" : (parameters.trim().split(/\s+/)[0] ?? "").toLowerCase();
  return { type: "code", text, ...(/^[\w#+.]/.test(language) && { language }) };
}

function toVerse(content: readonly string[], scope: Scope): Block {
  const inlines = content.flatMap((line, index) => {
    const text = readInlines(line.trim(), scope);
    return index === 0 ? text : [{ type: "lineBreak" } as const, ...text];
  });
  return { type: "paragraph", inlines };
}

function toBox(name: string, content: readonly string[], scope: Scope): Block {
  const title = (name[0] ?? "").toUpperCase() + name.slice(1);
  const label: Block = { type: "paragraph", inlines: [{ type: "strong", inlines: [title] }] };
  return { type: "quote", blocks: [label, ...readNested(content, scope)] };
}
