import { opcNamespaces } from "../../containers/opc-namespaces.ts";
import { walkXml, type XmlAttributes } from "../../xml/walk-xml.ts";

/** Everything of a sheet part but its cells. */
export interface SheetFrame {
  /** One-based, both included. */
  readonly hiddenColumns: readonly { readonly first: number; readonly last: number }[];
  /** `A1:C3`. */
  readonly merges: readonly string[];
  readonly links: readonly {
    readonly range: string;
    readonly relationshipId: string | undefined;
    readonly location: string;
  }[];
  readonly drawingIds: readonly string[];
  readonly tableIds: readonly string[];
}

/** @throws AppError as walking XML does. */
export function readSheetFrame(xml: string, maxDepth: number): SheetFrame {
  const collector = new FrameCollector();
  const open = (name: string, attributes: XmlAttributes): void => collector.take(name, attributes);
  walkXml(xml, { open }, { maxDepth, namespaces: opcNamespaces });
  return collector;
}

class FrameCollector implements SheetFrame {
  readonly hiddenColumns: { first: number; last: number }[] = [];
  readonly merges: string[] = [];
  readonly links: { range: string; relationshipId: string | undefined; location: string }[] = [];
  readonly drawingIds: string[] = [];
  readonly tableIds: string[] = [];

  take(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case "s:col":
        return this.#takeColumn(attributes);
      case "s:mergeCell":
        this.merges.push(attributes.get("ref") ?? "");
        return;
      case "s:hyperlink":
        this.links.push({
          range: attributes.get("ref") ?? "",
          relationshipId: attributes.get("r:id"),
          location: attributes.get("location") ?? "",
        });
        return;
      case "s:drawing":
        this.drawingIds.push(attributes.get("r:id") ?? "");
        return;
      case "s:tablePart":
        this.tableIds.push(attributes.get("r:id") ?? "");
        return;
      default:
    }
  }

  #takeColumn(attributes: XmlAttributes): void {
    const hidden = attributes.get("hidden");
    if (hidden !== "1" && hidden !== "true") return;
    const first = Number(attributes.get("min"));
    const last = Number(attributes.get("max"));
    if (first >= 1 && last >= first) this.hiddenColumns.push({ first, last });
  }
}
