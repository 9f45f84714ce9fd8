import { AppError } from "@attune/service-kit/app-error.ts";
import { walkXml, type XmlAttributes } from "../xml/walk-xml.ts";
import { OpcElement } from "./opc-element.ts";

/** An element of an OpenDocument file, named with the prefixes of `odfNamespaces`. */
export type OdfElement = OpcElement;

const odf = "urn:oasis:names:tc:opendocument:xmlns";

/** Namespaces of OpenDocument (ODF 1.3 part 3, 1.4) to the prefixes of the standard, whatever the file calls them. */
export const odfNamespaces: Readonly<Record<string, string>> = {
  [`${odf}:office:1.0`]: "office",
  [`${odf}:text:1.0`]: "text",
  [`${odf}:table:1.0`]: "table",
  [`${odf}:style:1.0`]: "style",
  [`${odf}:drawing:1.0`]: "draw",
  [`${odf}:presentation:1.0`]: "presentation",
  [`${odf}:meta:1.0`]: "meta",
  [`${odf}:manifest:1.0`]: "manifest",
  [`${odf}:chart:1.0`]: "chart",
  [`${odf}:svg-compatible:1.0`]: "svg",
  [`${odf}:xsl-fo-compatible:1.0`]: "fo",
  "http://purl.org/dc/elements/1.1/": "dc",
  "http://www.w3.org/1999/xlink": "xlink",
  "http://www.w3.org/1998/Math/MathML": "math",
};

/** Elements of one part held as a tree; more would not fit a worker's memory. */
const maxTreeElements = 4_000_000;

/**
 * A whole part as a tree.
 * @throws AppError as `walkXml` does, `LIMIT_EXCEEDED` for more than four million elements, `DOCUMENT_CORRUPT` for none.
 */
export function parseOdfElement(xml: string, maxDepth: number): OdfElement {
  const builder = new TreeBuilder();
  walkXml(xml, builder, { maxDepth, namespaces: odfNamespaces });
  if (builder.root === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "A part of it has no element." });
  return builder.root;
}

class TreeBuilder {
  root: OdfElement | undefined;
  readonly #open: OdfElement[] = [];
  #count = 0;

  open(name: string, attributes: XmlAttributes): void {
    if (++this.#count > maxTreeElements) {
      throw new AppError("LIMIT_EXCEEDED", { detail: `It has a part with over ${maxTreeElements} elements.` });
    }
    // Prefixes mean what they mean here, not when the attributes are first asked for.
    attributes.get("");
    const element = new OpcElement(name, attributes);
    this.#open.at(-1)?.children.push(element);
    this.root ??= element;
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop();
  }

  text(text: string): void {
    this.#open.at(-1)?.children.push(text);
  }
}
