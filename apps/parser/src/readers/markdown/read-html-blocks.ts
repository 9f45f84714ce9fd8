import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import type { Node, NodeOf, Root } from "./parse-markdown.ts";

type HtmlNode = NodeOf<"html">;

/**
 * Reads every block of HTML in the tree with the reader of HTML. Blocks in a row are read as one, since a blank line in a
 * table ends a block of HTML for Markdown but not the table; their content is the first one's.
 * @throws AppError `LIMIT_EXCEEDED` as that reader does.
 */
export async function readHtmlBlocks(root: Root, context: ReadContext): Promise<Map<HtmlNode, readonly Block[]>> {
  const blocks = new Map<HtmlNode, readonly Block[]>();
  for (const run of listHtmlRuns(root)) {
    const [first] = run;
    if (first === undefined) continue;
    const source = run.map(({ value }) => value).join("\n");
    blocks.set(first, markerBlocks(source) ?? (await readHtml(source, context)));
  }
  return blocks;
}

// A comment says nothing, except ours that names a page.
function markerBlocks(source: string): readonly Block[] | undefined {
  const page = /^<!-- page (\d{1,9}) -->$/.exec(source.trim())?.[1];
  if (page !== undefined) return [{ type: "pageBreak", number: Number(page) }];
  return source.replaceAll(/<!--[\s\S]*?-->/g, "").trim() === "" ? [] : undefined;
}

async function readHtml(source: string, context: ReadContext): Promise<readonly Block[]> {
  try {
    const part = { bytes: Buffer.from(source), fileName: "", format: "html", isOwnText: true, charset: "utf-8" };
    return (await context.readPart(part)).blocks;
  } catch (error) {
    if (error instanceof AppError && error.reason === "LIMIT_EXCEEDED") throw error;
    context.warn("A block of HTML could not be read and stands as it is written.");
    return [{ type: "code", text: source, language: "html" }];
  }
}

function listHtmlRuns(root: Root): HtmlNode[][] {
  const runs: HtmlNode[][] = [];
  const stack: (Root | Node)[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!("children" in node) || node.type === "paragraph" || node.type === "heading" || node.type === "table")
      continue;
    let run: HtmlNode[] = [];
    for (const child of node.children as readonly Node[]) {
      if (child.type !== "html") {
        run = [];
        stack.push(child);
        continue;
      }
      const isMarker = markerBlocks(child.value) !== undefined;
      if (run.length === 0 || isMarker) runs.push((run = [child]));
      else run.push(child);
      if (isMarker) run = [];
    }
  }
  return runs;
}
