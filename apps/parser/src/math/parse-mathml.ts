import { findDescendant, parseXmlTree } from "../xml/xml-tree.ts";
import type { MathmlNode } from "./mathml-node.ts";

/**
 * The first `math` element of an XML text such as a formula object of OpenDocument, or undefined when there is none.
 * @throws AppError as `walkXml` does.
 */
export function parseMathml(xml: string, maxDepth: number): MathmlNode | undefined {
  return findDescendant(parseXmlTree(xml, maxDepth), "math");
}
