import { opcNamespaces } from "../../containers/opc-namespaces.ts";
import { parseCellReference } from "../../spreadsheet/cell-reference.ts";
import { walkXml, type XmlAttributes, type XmlVisitor } from "../../xml/walk-xml.ts";
import type { CellSink } from "./scan-cells.ts";

/** Reports the cells of a sheet part however its XML is written. @throws AppError as walking XML does. */
export function walkCells(xml: string, sink: CellSink, maxDepth: number): void {
  walkXml(xml, new CellVisitor(sink), { maxDepth, namespaces: opcNamespaces });
}

class CellVisitor implements XmlVisitor {
  readonly #sink: CellSink;
  #row = -1;
  #column = -1;
  #type = "";
  #style = 0;
  #raw: string | undefined;
  #inline: string | undefined;
  #hasFormula = false;
  #textOf: "v" | "is" | undefined;

  constructor(sink: CellSink) {
    this.#sink = sink;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "s:row") this.#startRow(attributes);
    else if (name === "s:c") this.#startCell(attributes);
    else if (name === "s:v") {
      this.#textOf = "v";
      this.#raw = "";
    } else if (name === "s:is") this.#inline = "";
    else if (name === "s:f") this.#hasFormula = true;
    else if (this.#inline !== undefined) this.#openInline(name, attributes);
  }

  #startRow(attributes: XmlAttributes): void {
    const index = Number(attributes.get("r") ?? this.#row + 2) - 1;
    this.#row = Number.isSafeInteger(index) && index >= 0 ? index : this.#row + 1;
    this.#column = -1;
    this.#sink.startRow(this.#row, isTrue(attributes.get("hidden")));
  }

  #startCell(attributes: XmlAttributes): void {
    this.#column = parseCellReference(attributes.get("r") ?? "")?.column ?? this.#column + 1;
    this.#type = attributes.get("t") ?? "";
    this.#style = Number(attributes.get("s") ?? 0);
    this.#raw = undefined;
    this.#inline = undefined;
    this.#hasFormula = false;
  }

  // The inside of `is` is written out again without prefixes, for the one reader of string items.
  #openInline(name: string, attributes: XmlAttributes): void {
    const local = name.slice(name.indexOf(":") + 1);
    const value = attributes.get("val");
    this.#inline += value === undefined ? `<${local}>` : `<${local} val="${escapeXml(value)}">`;
    this.#textOf = local === "t" ? "is" : undefined;
  }

  text(text: string): void {
    if (this.#textOf === "v") this.#raw += escapeXml(text);
    else if (this.#textOf === "is") this.#inline += escapeXml(text);
  }

  close(name: string): void {
    this.#textOf = undefined;
    if (name === "s:c") this.#endCell();
    else if (this.#inline !== undefined && name !== "s:is" && name !== "s:v" && name !== "s:f")
      this.#inline += `</${name.slice(name.indexOf(":") + 1)}>`;
  }

  #endCell(): void {
    if (this.#row < 0) this.#startRow({ get: () => undefined } as unknown as XmlAttributes);
    this.#sink.cell({
      column: this.#column,
      type: this.#type,
      style: this.#style,
      raw: this.#raw,
      inline: this.#inline,
      hasFormula: this.#hasFormula,
    });
    this.#inline = undefined;
  }
}

function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
