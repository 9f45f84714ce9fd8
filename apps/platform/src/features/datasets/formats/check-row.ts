import type { Example } from "./example.ts";
import { checkText } from "./check-text.ts";
import { createFinding, type Finding, placesOfRow } from "./finding.ts";
import type { FindingCode } from "./finding-codes.ts";
import { type JsonObject, pointerTo } from "./json-value.ts";
import { type KeyMapping, mapKeys } from "./key-mapping.ts";
import type { Layout, Report } from "./layouts/layout.ts";
import { layouts } from "./layouts/layouts.ts";
import type { SourceRow } from "./reading/source-row.ts";
import { recogniseRow } from "./recognise-format.ts";

/** A row with the example that it holds. Rows that a trainer would drop or misread have none. */
export interface CheckedRow {
  readonly source: SourceRow;
  readonly example: Example | undefined;
  readonly findings: readonly Finding[];
}

export interface RowRules {
  readonly layout: Layout;
  readonly mapping: readonly KeyMapping[];
}

/** Reads one row as the layout of its file. */
export function checkRow(source: SourceRow, { layout, mapping }: RowRules): CheckedRow {
  if (!source.value) return { source, example: undefined, findings: source.findings };
  const findings = [...source.findings];
  const report = createReport(source, findings);
  const row = mapKeys(source.value, mapping);
  const example = readExample(row, layout, report);
  checkText(row, source.text, report);
  for (const key of Object.keys(row))
    if (!layout.keys.includes(key)) report("UNUSED_KEY", pointerTo("", key), `It is ${JSON.stringify(key)}.`);
  const isValid = example !== undefined && !findings.some(({ severity }) => severity === "error");
  if (!isValid) return { source, example: undefined, findings };
  if (example.kind === "dpo" && isSame(example.chosen, example.rejected)) report("CHOSEN_EQUALS_REJECTED", "/rejected");
  return { source, example, findings };
}

function createReport({ line, row }: SourceRow, findings: Finding[]): Report {
  const told = new Map<FindingCode, { count: number; last: Finding }>();
  return (code, pointer, detail) => {
    const known = told.get(code);
    const isCounted = known !== undefined && known.count >= placesOfRow;
    const finding = isCounted ? known.last : createFinding(code, { line, row, pointer, detail });
    findings.push(finding);
    if (known === undefined) told.set(code, { count: 1, last: finding });
    else Object.assign(known, { count: known.count + 1, last: finding });
  };
}

function readExample(row: JsonObject, layout: Layout, report: Report): Example | undefined {
  const matches = layout.matches(row);
  const other = matches ? undefined : recogniseRow(row);
  if (other && other.mapping.length === 0 && other.layout !== layout.name && isWhole(row, other.layout)) {
    report("OTHER_FORMAT", "", `It looks like ${other.layout}, the file like ${layout.name}.`);
    return undefined;
  }
  return layout.read(row, report);
}

const isWhole = (row: JsonObject, name: Layout["name"]): boolean =>
  layouts[name].read(row, () => undefined) !== undefined;

const isSame = (chosen: readonly { content: string }[], rejected: readonly { content: string }[]): boolean =>
  JSON.stringify(trimmed(chosen)) === JSON.stringify(trimmed(rejected));

const trimmed = (messages: readonly { content: string }[]): unknown =>
  messages.map((message) => ({ ...message, content: message.content.trim() }));
