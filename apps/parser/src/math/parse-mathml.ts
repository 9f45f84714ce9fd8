import { walkXml } from "../xml/walk-xml.ts";
import type { MathmlNode } from "./mathml-node.ts";

interface OpenNode extends MathmlNode {
  readonly children: (MathmlNode | string)[];
}

/**
 * The first `math` element of an XML text such as a formula object of OpenDocument, or undefined when there is none.
 * @throws AppError as `walkXml` does.
 */
export function parseMathml(xml: string, maxDepth: number): MathmlNode | undefined {
  const root: OpenNode = { name: "", attributes: new Map(), children: [] };
  const stack: OpenNode[] = [root];
  const visitor = {
    open: (name: string, attributes: { entries(): Iterable<[string, string]> }): void => {
      const node: OpenNode = { name: localName(name), attributes: new Map(attributes.entries()), children: [] };
      stack.at(-1)?.children.push(node);
      stack.push(node);
    },
    close: (): void => void stack.pop(),
    text: (text: string): void => void stack.at(-1)?.children.push(text),
  };
  walkXml(xml, visitor, { maxDepth });
  return findMath(root);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function findMath(node: MathmlNode): MathmlNode | undefined {
  for (const child of node.children) {
    if (typeof child === "string") continue;
    const found = child.name === "math" ? child : findMath(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
