import { decodeXml, type OpcPackage } from "../../containers/opc-package.ts";
import type { CellValue } from "../../spreadsheet/sheet.ts";
import { walkXml } from "../../xml/walk-xml.ts";
import { decodeString, parseStringItem, StringItemBuilder } from "./string-item.ts";

/** Texts that cells name by their number; empty when the file has none. @throws AppError as walking XML does. */
export function readSharedStrings(
  opc: OpcPackage,
  partName: string | undefined,
  maxDepth: number,
): readonly CellValue[] {
  const bytes = partName === undefined ? undefined : opc.read(partName);
  if (bytes === undefined) return [];
  const xml = decodeXml(bytes);
  return scanItems(xml, maxDepth) ?? walkItems(xml, maxDepth);
}

/** Items of a part as all common programs write it: no prefixes, comments or sections; undefined for any other. */
function scanItems(xml: string, maxDepth: number): CellValue[] | undefined {
  if (xml.includes("<!")) return undefined;
  const items: CellValue[] = [];
  let at = xml.indexOf("<sst");
  if (at === -1) return undefined;
  for (;;) {
    at = xml.indexOf("<si", at);
    if (at === -1) return items;
    const plainEnd = plainItemEnd(xml, at);
    if (plainEnd !== -1) {
      items.push(decodeString(xml.slice(at + plainOpen.length, plainEnd)));
      at = plainEnd + plainClose.length;
      continue;
    }
    const openEnd = xml.indexOf(">", at);
    if (openEnd === -1) return undefined;
    if (xml.charCodeAt(openEnd - 1) === 0x2f) {
      items.push("");
      at = openEnd;
      continue;
    }
    const closeAt = xml.indexOf("</si>", openEnd);
    if (closeAt === -1) return undefined;
    items.push(parseStringItem(xml.slice(openEnd + 1, closeAt), maxDepth));
    at = closeAt + 5;
  }
}

const plainOpen = "<si><t>";
const plainClose = "</t></si>";

// Where the text of `<si><t>text</t></si>` ends, which nearly all items are; -1 for any other.
function plainItemEnd(xml: string, at: number): number {
  if (!xml.startsWith(plainOpen, at)) return -1;
  const end = xml.indexOf("<", at + plainOpen.length);
  return xml.startsWith(plainClose, end) ? end : -1;
}

function walkItems(xml: string, maxDepth: number): CellValue[] {
  const items: CellValue[] = [];
  const item = new StringItemBuilder();
  walkXml(
    xml,
    {
      open: (name, attributes) => item.open(name, attributes),
      text: (text) => item.text(text),
      close: (name) => {
        item.close(name);
        if (name === "si" || name.endsWith(":si")) items.push(item.finish());
      },
    },
    { maxDepth },
  );
  return items;
}
