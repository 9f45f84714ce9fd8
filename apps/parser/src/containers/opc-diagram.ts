import type { Block, ListItem } from "../document/document.ts";
import type { OpcElement } from "./opc-element.ts";

/** Points of one diagram that are followed. */
const maxPoints = 5_000;
/** Points inside one another; deeper ones are listed flat. */
const maxDepth = 16;

/** The data part of a SmartArt diagram (`dgm:dataModel`) as nested lists of its texts. */
export function readOpcDiagram(root: OpcElement): Block[] {
  const points = (root.child("dgm:ptLst")?.elements("dgm:pt") ?? []).slice(0, maxPoints);
  const texts = new Map<string, string>();
  const roots: string[] = [];
  for (const point of points) {
    const id = point.get("modelId") ?? "";
    const type = point.get("type") ?? "node";
    if (type === "doc") roots.push(id);
    if (type === "node" || type === "asst") texts.set(id, textOf(point));
  }
  const children = childrenOf(root);
  const seen = new Set<string>();
  const toItems = (id: string, depth: number): ListItem[] => {
    if (seen.has(id) || depth > maxDepth) return [];
    seen.add(id);
    return (children.get(id) ?? []).flatMap((childId) => {
      const text = texts.get(childId) ?? "";
      const nested = toItems(childId, depth + 1);
      return text === "" ? nested : [toItem(text, nested)];
    });
  };
  const items = roots.flatMap((id) => toItems(id, 0));
  const strays = [...texts].filter(([id, text]) => !seen.has(id) && text !== "").map(([, text]) => toItem(text, []));
  const all = [...items, ...strays];
  return all.length === 0 ? [] : [{ type: "list", ordered: false, items: all }];
}

function toItem(text: string, nested: readonly ListItem[]): ListItem {
  const line: Block = { type: "paragraph", inlines: [text] };
  return { blocks: nested.length === 0 ? [line] : [line, { type: "list", ordered: false, items: nested }] };
}

function textOf(point: OpcElement): string {
  const paragraphs = point.child("dgm:t")?.elements("a:p") ?? [];
  return paragraphs
    .map((paragraph) =>
      paragraph
        .descendants("a:t")
        .map((element) => element.text)
        .join(""),
    )
    .join(" ")
    .trim();
}

function childrenOf(root: OpcElement): Map<string, string[]> {
  const links = (root.child("dgm:cxnLst")?.elements("dgm:cxn") ?? [])
    .filter((link) => (link.get("type") ?? "parOf") === "parOf")
    .map((link) => ({ from: link.get("srcId") ?? "", to: link.get("destId") ?? "", order: Number(link.get("srcOrd")) }))
    .sort((a, b) => a.order - b.order);
  const children = new Map<string, string[]>();
  for (const { from, to } of links) {
    const list = children.get(from);
    if (list === undefined) children.set(from, [to]);
    else list.push(to);
  }
  return children;
}
