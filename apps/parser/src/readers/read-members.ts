import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import type { Block, Document } from "../document/document.ts";
import { shiftHeadings } from "../document/shift-headings.ts";
import type { ReadContext } from "./reader.ts";

/** One file of an archive; `read` throws as the container does. */
export interface Member {
  /** Its path in the archive. */
  readonly name: string;
  read(): Uint8Array;
}

// What operating systems add to archives on their own account.
const clutter = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i;
const maxNamed = 20;

/**
 * Reads the files of an archive one after the other, each under a heading with its path. What cannot be read is named in a
 * warning with its reason.
 * @throws AppError when there are files and none could be read, the reason that all of them share, or else
 *   `LIMIT_EXCEEDED` if it is among theirs, or else `UNSUPPORTED_FILE_TYPE`.
 */
export async function readMembers(members: readonly Member[], context: ReadContext): Promise<Document> {
  const wanted = members.filter(({ name }) => !clutter.test(name));
  const blocks: Block[] = [];
  const unread: Unread[] = [];
  for (const [index, member] of wanted.entries()) {
    if (context.budget.isTimeSpent) {
      for (const { name } of wanted.slice(index)) unread.push({ name, reason: "PARSE_TIMEOUT" });
      break;
    }
    const outcome = await readMember(member, context);
    if (typeof outcome === "string") unread.push({ name: member.name, reason: outcome });
    else for (const block of outcome) blocks.push(block);
  }
  report(unread, { total: wanted.length, context });
  return { metadata: {}, blocks };
}

interface Unread {
  readonly name: string;
  readonly reason: Reason;
}

async function readMember(member: Member, context: ReadContext): Promise<readonly Block[] | Reason> {
  try {
    const { blocks } = await context.readPart({ bytes: member.read(), fileName: baseName(member.name) });
    return [{ type: "heading", level: 1, inlines: [member.name] }, ...shiftHeadings(blocks, 1)];
  } catch (error) {
    // A bad member, even a bomb, is no reason to lose the others: the budget is the document's and stays spent.
    if (error instanceof AppError && error.reason !== "MEMORY_EXCEEDED") return error.reason;
    throw error;
  }
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}

function report(
  unread: readonly Unread[],
  { total, context }: { readonly total: number; readonly context: ReadContext },
): void {
  if (unread.length === 0) return;
  const named = unread.slice(0, maxNamed).map(({ name, reason }) => `${name} (${reason})`);
  const more = unread.length > maxNamed ? ` and ${unread.length - maxNamed} more` : "";
  const sentence = `${unread.length} of ${total} files in the archive were not read: ${named.join(", ")}${more}.`;
  if (unread.length < total) return context.warn(sentence);
  throw new AppError(reasonOfAll(unread), { detail: sentence });
}

function reasonOfAll(unread: readonly Unread[]): Reason {
  const [first = "UNSUPPORTED_FILE_TYPE", ...others] = new Set(unread.map(({ reason }) => reason));
  if (others.length === 0) return first;
  return first === "LIMIT_EXCEEDED" || others.includes("LIMIT_EXCEEDED") ? "LIMIT_EXCEEDED" : "UNSUPPORTED_FILE_TYPE";
}
