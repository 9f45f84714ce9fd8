import { parseOpcElement } from "../../containers/opc-element.ts";
import { decodeXml, type OpcPackage } from "../../containers/opc-package.ts";
import { builtinFormats } from "../../spreadsheet/builtin-formats.ts";
import { compileNumberFormat, type FormatNumber } from "../../spreadsheet/number-format.ts";

export interface StylesOptions {
  readonly is1904: boolean;
  readonly maxDepth: number;
}

/** How numbers are shown, by the style number of a cell; undefined where a style shows them as General does. */
export type CellStyles = readonly (FormatNumber | undefined)[];

/** The number formats of all cell styles; empty when the file has no styles. */
export function readStyles(opc: OpcPackage, partName: string | undefined, options: StylesOptions): CellStyles {
  const bytes = partName === undefined ? undefined : opc.read(partName);
  const root = bytes && parseOpcElement(decodeXml(bytes), options.maxDepth);
  if (root === undefined) return [];
  const codes = new Map(Object.entries(builtinFormats).map(([id, code]) => [Number(id), code]));
  for (const format of root.child("s:numFmts")?.elements("s:numFmt") ?? []) {
    codes.set(Number(format.get("numFmtId")), format.get("formatCode") ?? "");
  }
  const compiled = new Map<number, FormatNumber | undefined>();
  return (root.child("s:cellXfs")?.elements("s:xf") ?? []).map((style) => {
    const id = Number(style.get("numFmtId") ?? 0);
    if (!compiled.has(id)) compiled.set(id, compile(codes.get(id), options));
    return compiled.get(id);
  });
}

function compile(code: string | undefined, options: StylesOptions): FormatNumber | undefined {
  return code === undefined || code === "" || /^(?:general|@)$/i.test(code)
    ? undefined
    : compileNumberFormat(code, { is1904: options.is1904 });
}
