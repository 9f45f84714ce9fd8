import { dedent, indentOf, trimBlank } from "../../text/indented-lines.ts";
import { readDirective } from "./read-directive.ts";
import { noteId } from "./read-inlines.ts";
import { type BlockRule, type Cursor, readNested, type Taken } from "./scope.ts";

const note = /^\[(#?[\w.-]{0,60}|\*)\](?:\s+|$)/;
const directive = /^([A-Za-z][\w.+-]{0,60}(?::[\w.+-]{1,60})?)[ ]?::(?:\s+|$)/;
const definition = /^(?:_(?:`[^`]{1,300}`|[^:]{1,300}):|\|[^|]{1,200}\|\s|__:)/;

/** Everything that begins with `..`: directives, notes, targets, and comments, which are dropped. */
export const readExplicit: BlockRule = (cursor, scope) => {
  const { lines, at } = cursor;
  const line = lines[at] as string;
  if (/^__\s+\S/.test(line)) return { blocks: [], lineCount: 1 };
  if (!/^\.\.(?:\s|$)/.test(line)) return undefined;
  const lineCount = explicitLength(cursor);
  const first = line.slice(2).trimStart();
  const rest = dedent(lines.slice(at + 1, at + lineCount));
  const label = note.exec(first);
  if (label !== null) {
    const blocks = readNested([first.slice(label[0].length), ...rest], scope);
    scope.notes.push({ type: "footnote", id: noteId(label[1] ?? ""), blocks });
    return { blocks: [], lineCount };
  }
  const named = directive.exec(first);
  if (named === null || definition.test(first)) return { blocks: [], lineCount };
  const argument = first.slice(named[0].length);
  const blocks = readDirective({ name: named[1] ?? "", argument, ...splitOptions(rest) }, scope);
  return { blocks, lineCount } satisfies Taken;
};

// A comment without text ends at once, so that it can part an indented block from what stands before it.
function explicitLength({ lines, at }: Cursor): number {
  const isEmpty = (lines[at] as string).trim() === ".." && (lines[at + 1] ?? "").trim() === "";
  if (isEmpty) return 1;
  let end = at + 1;
  let last = end;
  while (end < lines.length) {
    const line = lines[end] as string;
    const isBlank = line.trim() === "";
    if (!isBlank && indentOf(line) === 0) break;
    end++;
    if (!isBlank) last = end;
  }
  return last - at;
}

const option = /^:([\w-]{1,60}):(?:\s+(.*))?$/;

interface Split {
  /** Further lines of the argument, above the options. */
  readonly more: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  readonly content: readonly string[];
}

function splitOptions(lines: readonly string[]): Split {
  const options = new Map<string, string>();
  let at = 0;
  while (at < lines.length && (lines[at] as string).trim() !== "" && !option.test(lines[at] as string)) at++;
  const more = lines.slice(0, at);
  let match = option.exec(lines[at] ?? "");
  while (match !== null) {
    options.set(match[1] ?? "", match[2]?.trim() ?? "");
    at++;
    while (indentOf(lines[at] ?? "") > 0) at++;
    match = option.exec(lines[at] ?? "");
  }
  return { more, options, content: trimBlank(lines.slice(at)) };
}
