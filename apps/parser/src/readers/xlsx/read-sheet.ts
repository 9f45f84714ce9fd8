import type { AppError } from "@attune/service-kit/app-error.ts";
import { parseOpcElement } from "../../containers/opc-element.ts";
import { attempt, decodeXml, type OpcPackage, type OpcRelationships } from "../../containers/opc-package.ts";
import { parseCellRange } from "../../spreadsheet/cell-reference.ts";
import { SheetBuilder, type SheetLimits } from "../../spreadsheet/sheet-builder.ts";
import type { XlsxContext } from "./xlsx-context.ts";
import type { CellDecoder } from "./cell-decoder.ts";
import { addComments } from "./comments.ts";
import { addDrawing } from "./drawing.ts";
import { type CellSink, type ScannedCell, scanCells } from "./scan-cells.ts";
import { readSheetFrame, type SheetFrame } from "./sheet-frame.ts";
import { parseStringItem } from "./string-item.ts";
import { walkCells } from "./walk-cells.ts";

export interface SheetPart {
  readonly opc: OpcPackage;
  readonly name: string;
  readonly partName: string;
  readonly decoder: CellDecoder;
  readonly sheetLimits: SheetLimits;
  /** Called with what is wrong when the part cannot be read. */
  readonly onDamage: (damage: AppError) => void;
}

/** Reads one sheet part and what hangs on it. A damaged sheet is told and comes out empty. */
export function readSheet(part: SheetPart, context: XlsxContext): SheetBuilder {
  let builder = new SheetBuilder(part.name, part.sheetLimits);
  const damage = attempt(part.partName, context.warn, () => {
    const bytes = part.opc.read(part.partName);
    if (bytes !== undefined) builder = readCells(decodeXml(bytes), part, context);
  });
  if (damage !== undefined) part.onDamage(damage);
  return builder;
}

const dataOpen = /<sheetData(?:\s[^<>]*)?>/;

function readCells(xml: string, part: SheetPart, context: XlsxContext): SheetBuilder {
  const { maxMarkupDepth } = context.budget.limits;
  const data = xml.includes("<!") ? null : dataOpen.exec(xml);
  const closeAt = data === null ? -1 : xml.lastIndexOf("</sheetData>");
  if (data !== null && closeAt > data.index) {
    const from = data.index + data[0].length;
    const frame = readSheetFrame(xml.slice(0, from) + xml.slice(closeAt), maxMarkupDepth);
    const sink = new SheetSink(frame, part, context);
    if (scanCells(xml, from, sink)) return sink.finish();
  }
  const sink = new SheetSink(readSheetFrame(xml, maxMarkupDepth), part, context);
  walkCells(xml, sink, maxMarkupDepth);
  return sink.finish();
}

class SheetSink implements CellSink {
  readonly #builder: SheetBuilder;
  readonly #part: SheetPart;
  readonly #frame: SheetFrame;
  readonly #context: XlsxContext;
  #uncalculated = 0;

  constructor(frame: SheetFrame, part: SheetPart, context: XlsxContext) {
    this.#builder = new SheetBuilder(part.name, part.sheetLimits);
    this.#part = part;
    this.#frame = frame;
    this.#context = context;
    for (const { first, last } of frame.hiddenColumns) this.#builder.hideColumns(first - 1, last - 1);
  }

  startRow(index: number, isHidden: boolean): void {
    this.#builder.startRow(index, isHidden);
  }

  cell({ column, type, style, raw, inline, hasFormula }: ScannedCell): void {
    if (inline !== undefined)
      this.#builder.addCell(column, parseStringItem(inline, this.#context.budget.limits.maxMarkupDepth));
    else if (raw !== undefined) this.#builder.addCell(column, this.#part.decoder.decode(type, style, raw));
    else if (hasFormula) this.#uncalculated++;
  }

  sharedString(column: number, index: number): void {
    this.#builder.addCell(column, this.#part.decoder.sharedString(index));
  }

  finish(): SheetBuilder {
    this.#warnLosses();
    const relationships = this.#part.opc.relationshipsOf(this.#part.partName);
    addFrame(this.#builder, this.#frame, relationships);
    for (const id of this.#frame.tableIds) this.#addTable(relationships.byId(id)?.target);
    addComments(this.#builder, relationships, { opc: this.#part.opc, context: this.#context });
    for (const id of this.#frame.drawingIds)
      addDrawing(this.#builder, relationships.byId(id), { opc: this.#part.opc, context: this.#context });
    return this.#builder;
  }

  #warnLosses(): void {
    const { name, decoder } = this.#part;
    const { warn } = this.#context;
    if (this.#uncalculated > 0)
      warn(`Sheet “${name}”: ${this.#uncalculated} formulas have no stored result and were left out.`);
    if (decoder.brokenStringCount > 0)
      warn(`Sheet “${name}”: ${decoder.brokenStringCount} cells name texts that the file does not have.`);
    if (decoder.hiddenValueCount > 0)
      warn(`Sheet “${name}”: ${decoder.hiddenValueCount} cells whose format hides the value were left out.`);
  }

  #addTable(partName: string | undefined): void {
    if (partName === undefined) return;
    const { budget, warn } = this.#context;
    attempt(partName, warn, () => {
      const bytes = this.#part.opc.read(partName);
      const table = bytes && parseOpcElement(decodeXml(bytes), budget.limits.maxMarkupDepth);
      const range = parseCellRange(table?.get("ref") ?? "");
      const headerRowCount = Number(table?.get("headerRowCount") ?? 1);
      if (range !== undefined) this.#builder.addTable({ range, headerRowCount: headerRowCount > 0 ? 1 : 0 });
    });
  }
}

/** Cells that one link may cover; ranges of whole columns are not links to follow. */
const maxLinkedCells = 10_000;

function addFrame(builder: SheetBuilder, frame: SheetFrame, relationships: OpcRelationships): void {
  for (const merge of frame.merges) {
    const range = parseCellRange(merge);
    if (range !== undefined) builder.addMerge(range);
  }
  let linkedCells = 0;
  for (const { range: text, relationshipId, location } of frame.links) {
    const range = parseCellRange(text);
    const target = relationships.byId(relationshipId);
    if (range === undefined || target?.isExternal !== true || !/^(?:https?|ftp|mailto):/i.test(target.target)) continue;
    linkedCells += (range.lastRow - range.firstRow + 1) * (range.lastColumn - range.firstColumn + 1);
    if (linkedCells > maxLinkedCells * 20) return;
    const address = location === "" ? target.target : `${target.target}#${location}`;
    for (let row = range.firstRow; row <= range.lastRow; row++)
      for (let column = range.firstColumn; column <= range.lastColumn; column++) builder.addLink(row, column, address);
  }
}
