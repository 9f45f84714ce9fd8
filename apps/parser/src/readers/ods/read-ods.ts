import { AppError } from "@attune/service-kit/app-error.ts";
import { odfNamespaces, parseOdfElement } from "../../containers/odf-element.ts";
import { openOdf } from "../../containers/odf-package.ts";
import { OdfStyles } from "../../containers/odf-styles.ts";
import type { SheetLimits } from "../../spreadsheet/sheet-builder.ts";
import { workbookToDocument } from "../../spreadsheet/workbook-to-document.ts";
import { walkXml } from "../../xml/walk-xml.ts";
import type { ReadDocument } from "../reader.ts";
import { OdsVisitor } from "./ods-visitor.ts";

/** Reads an OpenDocument spreadsheet in one pass over its cells, which are never all held as elements. */
export const readOds: ReadDocument = (input, context) => {
  const { budget, options } = context;
  const warn = (sentence: string): void => context.warn(sentence);
  const opened = openOdf(input.bytes, { budget, password: options.password, warn });
  const limits: SheetLimits = { budget, characters: 0 };
  const xml = opened.contentXml;
  const hidden = hiddenTables(xml, budget.limits.maxMarkupDepth);
  const visitor = new OdsVisitor(limits, options.images !== "none");
  walkXml(xml, visitor, { maxDepth: budget.limits.maxMarkupDepth, namespaces: odfNamespaces });
  if (!visitor.hasSpreadsheet) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no spreadsheet body." });
  const sheets = visitor.sheets.map(({ builder, styleName }) => ({
    name: builder.name,
    isHidden: hidden.has(styleName),
    build: () => builder,
  }));
  return workbookToDocument({ metadata: opened.metadata, sheets }, { budget, pages: options.pages, warn });
};

/** Styles of tables that are not shown. */
function hiddenTables(xml: string, maxDepth: number): ReadonlySet<string> {
  const from = xml.indexOf("<office:automatic-styles");
  const to = xml.indexOf("</office:automatic-styles>");
  const rootAt = xml.indexOf("<office:document");
  const rootEnd = rootAt === -1 ? -1 : xml.indexOf(">", rootAt);
  if (from === -1 || to < from || rootEnd === -1 || rootEnd > from) return new Set();
  const rootName = /^<[\w:-]+/.exec(xml.slice(rootAt, rootEnd))?.[0].slice(1) ?? "";
  const part = `${xml.slice(rootAt, rootEnd + 1)}${xml.slice(from, to)}</office:automatic-styles></${rootName}>`;
  const root = parseOdfElement(part, maxDepth);
  const styles = new OdfStyles([root]);
  const names = (root.child("office:automatic-styles")?.elements("style:style") ?? [])
    .filter((style) => style.get("style:family") === "table")
    .map((style) => style.get("style:name") ?? "");
  return new Set(names.filter((name) => !styles.isShown("table", name, ["style:table-properties", "table:display"])));
}
