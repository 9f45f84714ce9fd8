import { AppError } from "@attune/service-kit/app-error.ts";
import { type OpcElement, parseOpcElement } from "../../containers/opc-element.ts";
import { decodeXml, type OpcPackage, type OpcRelationships } from "../../containers/opc-package.ts";
import type { XlsxContext } from "./xlsx-context.ts";

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly partName: string;
}

export interface WorkbookParts {
  readonly sheets: readonly WorkbookSheet[];
  readonly is1904: boolean;
  readonly sharedStringsPart: string | undefined;
  readonly stylesPart: string | undefined;
}

/**
 * The list of sheets and where the parts that they share lie.
 * @throws AppError `DOCUMENT_CORRUPT` when there is no workbook part.
 */
export function readWorkbook(opc: OpcPackage, { budget, warn }: XlsxContext): WorkbookParts {
  const partName = opc.relationshipsOf("").partOfKind("officeDocument") ?? "xl/workbook.xml";
  const bytes = opc.read(partName);
  const root = bytes && parseOpcElement(decodeXml(bytes), budget.limits.maxMarkupDepth);
  if (root === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no workbook part." });
  const relationships = opc.relationshipsOf(partName);
  const sheets = (root.child("s:sheets")?.elements("s:sheet") ?? []).flatMap((sheet, at): WorkbookSheet[] => {
    const name = sheet.get("name") ?? `Sheet${at + 1}`;
    const target = relationships.byId(relationshipIdOf(sheet));
    const state = sheet.get("state") ?? "visible";
    if (isMacroSheet(target?.kind)) return [];
    if (target === undefined || target.isExternal || !opc.partNames.some((part) => isSamePart(part, target.target))) {
      warn(`Sheet “${name}” has no part in the file and was left out.`);
      return [];
    }
    return [{ name, isHidden: state !== "visible", partName: target.target }];
  });
  const date1904 = root.child("s:workbookPr")?.get("date1904");
  return {
    sheets,
    is1904: date1904 === "1" || date1904 === "true",
    sharedStringsPart: partOf(relationships, "sharedStrings", opc),
    stylesPart: partOf(relationships, "styles", opc),
  };
}

// Some programs declare the prefix of relationships anew on each sheet element.
function relationshipIdOf(sheet: OpcElement): string | undefined {
  return sheet.get("r:id") ?? [...sheet.attributes.entries()].find(([name]) => name.endsWith(":id"))?.[1];
}

// Sheets of Excel 4 macros and of dialogs hold programs, not text.
function isMacroSheet(kind: string | undefined): boolean {
  return kind === "xlMacrosheet" || kind === "xlIntlMacrosheet" || kind === "dialogsheet";
}

function isSamePart(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function partOf(relationships: OpcRelationships, kind: string, opc: OpcPackage): string | undefined {
  return relationships.partOfKind(kind) ?? opc.partNames.find((name) => isSamePart(name, `xl/${kind}.xml`));
}
