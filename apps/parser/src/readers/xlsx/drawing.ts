import type { Block, ImageData } from "../../document/document.ts";
import { type OpcElement, parseOpcElement } from "../../containers/opc-element.ts";
import { attempt, decodeXml, type OpcRelationship, type OpcRelationships } from "../../containers/opc-package.ts";
import type { SheetBuilder } from "../../spreadsheet/sheet-builder.ts";
import type { PartContext } from "./comments.ts";
import { describeChart } from "./describe-chart.ts";

/** Adds text boxes, pictures, charts and diagrams of a sheet at the cells they are anchored to. */
export function addDrawing(builder: SheetBuilder, relationship: OpcRelationship | undefined, part: PartContext): void {
  if (relationship === undefined || relationship.isExternal) return;
  const { opc, context } = part;
  attempt(relationship.target, context.warn, () => {
    const bytes = opc.read(relationship.target);
    const root = bytes && parseOpcElement(decodeXml(bytes), context.budget.limits.maxMarkupDepth);
    const reader = new DrawingReader(opc.relationshipsOf(relationship.target), part);
    for (const anchor of root?.elements() ?? []) {
      builder.addFloating({ ...placeOf(anchor), blocks: reader.blocksOf(anchor) });
    }
  });
}

function placeOf(anchor: OpcElement): { readonly row: number; readonly column: number } {
  const from = anchor.child("xdr:from");
  const row = Number(from?.child("xdr:row")?.text);
  const column = Number(from?.child("xdr:col")?.text);
  return { row: row >= 0 ? row : 0, column: column >= 0 ? column : 0 };
}

class DrawingReader {
  readonly #relationships: OpcRelationships;
  readonly #part: PartContext;

  constructor(relationships: OpcRelationships, part: PartContext) {
    this.#relationships = relationships;
    this.#part = part;
  }

  blocksOf(parent: OpcElement): Block[] {
    return parent.elements().flatMap((element) => this.#element(element));
  }

  #element(element: OpcElement): Block[] {
    switch (element.name) {
      case "mc:AlternateContent":
        return this.blocksOf(element.child("mc:Choice") ?? element.child("mc:Fallback") ?? element);
      case "xdr:grpSp":
        return isHidden(element, "xdr:nvGrpSpPr") ? [] : this.blocksOf(element);
      case "xdr:sp":
        return isHidden(element, "xdr:nvSpPr") ? [] : paragraphsOf(element.child("xdr:txBody"));
      case "xdr:pic":
        return isHidden(element, "xdr:nvPicPr") ? [] : this.#picture(element);
      case "xdr:graphicFrame":
        return this.#graphic(element);
      default:
        return [];
    }
  }

  #picture(element: OpcElement): Block[] {
    if (this.#part.context.options.images === "none") return [];
    const properties = element.path("xdr:nvPicPr", "xdr:cNvPr");
    const target = this.#relationships.byId(element.path("xdr:blipFill", "a:blip")?.get("r:embed"));
    const data = target?.isExternal === false ? this.#imageData(target.target) : undefined;
    return [
      {
        type: "image",
        alt: (properties?.get("descr") ?? "").replaceAll(/\s+/g, " ").trim(),
        ...(target !== undefined && { reference: target.target }),
        ...(data !== undefined && { data }),
      },
    ];
  }

  #imageData(partName: string): ImageData | undefined {
    const { opc, context } = this.#part;
    if (context.options.images !== "data_uri") return undefined;
    let bytes: Uint8Array | undefined;
    attempt(partName, context.warn, () => {
      bytes = opc.read(partName);
    });
    return bytes && { mediaType: opc.contentTypeOf(partName) ?? "application/octet-stream", bytes };
  }

  #graphic(element: OpcElement): Block[] {
    const graphic = element.path("a:graphic", "a:graphicData");
    const chart = this.#root(graphic?.child("c:chart")?.get("r:id") ?? graphic?.child("cx:chart")?.get("r:id"));
    if (chart !== undefined) return [describeChart(chart)];
    const diagram = this.#root(graphic?.child("dgm:relIds")?.get("r:dm"));
    return diagram === undefined ? [] : paragraphsOf(diagram);
  }

  #root(relationshipId: string | undefined): OpcElement | undefined {
    const target = this.#relationships.byId(relationshipId);
    if (target === undefined || target.isExternal) return undefined;
    const { opc, context } = this.#part;
    let root: OpcElement | undefined;
    attempt(target.target, context.warn, () => {
      const bytes = opc.read(target.target);
      root = bytes && parseOpcElement(decodeXml(bytes), context.budget.limits.maxMarkupDepth);
    });
    return root;
  }
}

function isHidden(element: OpcElement, propertiesName: string): boolean {
  const hidden = element.path(propertiesName, "xdr:cNvPr")?.get("hidden");
  return hidden === "1" || hidden === "true";
}

function paragraphsOf(body: OpcElement | undefined): Block[] {
  return (body?.descendants("a:p") ?? []).flatMap((paragraph): Block[] => {
    const text = paragraph
      .descendants("a:t")
      .map((run) => run.text)
      .join("")
      .trim();
    return text === "" ? [] : [{ type: "paragraph", inlines: [text] }];
  });
}
