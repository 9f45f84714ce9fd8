import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block, Code, FormulaBlock, Inline, List, Table, TableCell } from "../../document/document.ts";
import { convertInlines, type InlineScope } from "./convert-inlines.ts";
import type { Node, NodeOf } from "./parse-markdown.ts";

/** What blocks need to know of their document. */
export interface BlockScope {
  targetOf(identifier: string): string | undefined;
  /** What a block of HTML was read as. */
  htmlBlocks(node: NodeOf<"html">): readonly Block[];
  /** The source between two offsets of it. */
  sourceOf(node: Node): string;
  /** Counts cells of tables against the document's limit. */
  takeCells(count: number): void;
  readonly maxDepth: number;
}

/**
 * Flow content as blocks; definitions, front matter and thematic breaks have none.
 * @throws AppError `LIMIT_EXCEEDED` when nodes are nested deeper than `scope.maxDepth`.
 */
export function convertBlocks(nodes: readonly Node[], scope: BlockScope, depth = 0): Block[] {
  if (depth > scope.maxDepth)
    throw new AppError("LIMIT_EXCEEDED", {
      detail: `It has quotes or lists nested more than ${scope.maxDepth} deep (PARSER_MAX_MARKUP_DEPTH).`,
    });
  return nodes.flatMap((node) => convertNode(node, scope, depth));
}

function convertNode(node: Node, scope: BlockScope, depth: number): readonly Block[] {
  switch (node.type) {
    case "list":
      return [convertList(node, scope, depth)];
    case "blockquote":
      return [{ type: "quote", blocks: convertBlocks(node.children, scope, depth + 1) }];
    case "footnoteDefinition":
      return [
        {
          type: "footnote",
          id: node.label ?? node.identifier,
          blocks: convertBlocks(node.children, scope, depth + 1),
        },
      ];
    case "html":
      return scope.htmlBlocks(node);
    case "table":
      return [convertTable(node, scope)];
    default:
      return convertLeaf(node, scope);
  }
}

function convertLeaf(node: Node, scope: BlockScope): readonly Block[] {
  switch (node.type) {
    case "heading":
      return [
        { type: "heading", level: node.depth, inlines: convertInlines(node.children, inlineScope(scope, false)) },
      ];
    case "paragraph":
      return [convertParagraph(node, scope)];
    case "code":
      return [convertCode(node)];
    case "math":
      return [{ type: "formula", notation: "latex", text: node.value }];
    default:
      return [];
  }
}

function inlineScope(scope: BlockScope, isCell: boolean): InlineScope {
  return { targetOf: (identifier) => scope.targetOf(identifier), isCell };
}

function convertParagraph(node: NodeOf<"paragraph">, scope: BlockScope): Block {
  const [only] = node.children;
  // `$$x$$` alone in a paragraph is how many write a displayed formula.
  if (node.children.length === 1 && only?.type === "inlineMath" && /^\$\$(?!\$)/.test(scope.sourceOf(only)))
    return { type: "formula", notation: "latex", text: only.value.trim() };
  return { type: "paragraph", inlines: convertInlines(node.children, inlineScope(scope, false)) };
}

function convertCode({ lang, value }: NodeOf<"code">): Code | FormulaBlock {
  if (lang?.toLowerCase() === "math") return { type: "formula", notation: "latex", text: value };
  return { type: "code", text: value, ...(lang && { language: lang.toLowerCase() }) };
}

function convertList(node: NodeOf<"list">, scope: BlockScope, depth: number): List {
  const start = node.start ?? 1;
  const items = node.children.map(({ children, checked }) => ({
    blocks: convertBlocks(children, scope, depth + 1),
    ...(typeof checked === "boolean" && { isChecked: checked }),
  }));
  return { type: "list", ordered: node.ordered === true, ...(start !== 1 && { start }), items };
}

function convertTable(node: NodeOf<"table">, scope: BlockScope): Table {
  const rows = node.children.map((row) => {
    scope.takeCells(row.children.length);
    return row.children.map((cell) => convertCell(cell.children, scope));
  });
  return { type: "table", headerRowCount: 1, rows };
}

type CellContent = NodeOf<"table">["children"][number]["children"][number]["children"];

function convertCell(children: CellContent, scope: BlockScope): TableCell {
  const inlines: readonly Inline[] = convertInlines(children, inlineScope(scope, true));
  const [only] = inlines;
  if (only === undefined) return "";
  return inlines.length === 1 && typeof only === "string" ? only : { blocks: [{ type: "paragraph", inlines }] };
}
