import { AppError } from "@attune/service-kit/app-error.ts";
import { nothingReadable, openOpcPackage, type OpcPackage } from "../../containers/opc-package.ts";
import { readOpcProperties } from "../../containers/opc-properties.ts";
import { type SheetEntry, workbookToDocument } from "../../spreadsheet/workbook-to-document.ts";
import type { SheetLimits } from "../../spreadsheet/sheet-builder.ts";
import type { ReadDocument } from "../reader.ts";
import { CellDecoder } from "./cell-decoder.ts";
import { readSheet } from "./read-sheet.ts";
import { readSharedStrings } from "./shared-strings.ts";
import { readStyles } from "./styles.ts";
import type { XlsxContext } from "./xlsx-context.ts";
import { readWorkbook, type WorkbookParts } from "./workbook.ts";

/** Reads an Office Open XML workbook: what its visible sheets show, as Excel last calculated it. */
export const readXlsx: ReadDocument = (input, outer) => {
  const context: XlsxContext = { ...outer, warn: (sentence) => outer.warn(sentence) };
  assertNotEncrypted(input.bytes, context);
  const { budget, options, warn } = context;
  const opc = openOpcPackage({ bytes: input.bytes, budget, warn });
  const workbook = readWorkbook(opc, context);
  const properties = readOpcProperties(opc, { maxDepth: budget.limits.maxMarkupDepth, warn });
  const damages: AppError[] = [];
  const sheets = listSheets(opc, workbook, { context, onDamage: (damage) => damages.push(damage) });
  const document = workbookToDocument({ metadata: properties, sheets }, { budget, pages: options.pages, warn });
  if (document.blocks.length === 0 && (damages.length > 0 || sheets.length === 0)) {
    throw nothingReadable("sheets", damages[0]);
  }
  return document;
};

interface SheetReading {
  readonly context: XlsxContext;
  readonly onDamage: (damage: AppError) => void;
}

function listSheets(opc: OpcPackage, workbook: WorkbookParts, { context, onDamage }: SheetReading): SheetEntry[] {
  const { limits } = context.budget;
  const strings = readSharedStrings(opc, workbook.sharedStringsPart, limits.maxMarkupDepth);
  const styles = readStyles(opc, workbook.stylesPart, { is1904: workbook.is1904, maxDepth: limits.maxMarkupDepth });
  const sheetLimits: SheetLimits = { budget: context.budget, characters: 0 };
  return workbook.sheets.map(({ name, isHidden, partName }) => ({
    name,
    isHidden,
    build: () =>
      readSheet({ opc, name, partName, decoder: new CellDecoder(strings, styles), sheetLimits, onDamage }, context),
  }));
}

const compoundSignature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

// Encrypted packages lie inside a compound file ([MS-OFFCRYPTO] 1.3.3).
function assertNotEncrypted(bytes: Uint8Array, { options }: XlsxContext): void {
  if (!compoundSignature.equals(bytes.subarray(0, 8))) return;
  throw new AppError(options.password === undefined ? "PASSWORD_REQUIRED" : "ENCRYPTION_UNSUPPORTED");
}
