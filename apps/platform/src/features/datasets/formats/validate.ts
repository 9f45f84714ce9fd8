import { type CheckedRow, checkRow } from "./check-row.ts";
import { exampleHash } from "./content-hash.ts";
import type { Example } from "./example.ts";
import { createFinding, type Finding } from "./finding.ts";
import type { FindingCode } from "./finding-codes.ts";
import { createHashSet, type HashSet } from "./hash-set.ts";
import type { KeyMapping } from "./key-mapping.ts";
import { layouts } from "./layouts/layouts.ts";
import type { ReadItem } from "./reading/source-row.ts";
import { createStatistics, type DatasetStatistics } from "./statistics.ts";
import { createFindingTally, type FindingCount } from "./tally-findings.ts";
import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";

export interface ValidationOptions {
  readonly layout: DatasetLayout;
  readonly mapping?: readonly KeyMapping[];
  /** Hashes of the examples that are kept for evaluation. */
  readonly heldOut?: HashSet;
  /** Counts the tokens of an example and says how many are trained; rows with more are told. */
  readonly tokens?: { count(example: Example): number; readonly max: number };
}

/** `raw` = `valid` + `invalid`; `duplicates` are those of the valid rows that say the same as an earlier one. */
export interface RowCounts {
  readonly raw: number;
  readonly valid: number;
  readonly invalid: number;
  readonly duplicates: number;
  readonly turns: number;
  /** Undefined where no tokenizer was given. */
  readonly tokens: number | undefined;
}

export interface ValidationReport {
  readonly counts: RowCounts;
  readonly findings: readonly FindingCount[];
  readonly statistics: DatasetStatistics;
  /** Whether the file as a whole can be trained: no error that concerns all of it, and at least one valid row. */
  readonly isUsable: boolean;
}

export interface Validator {
  /** Checks one item of `readRows`; returns the checked row, or undefined for a finding of the whole file. */
  check(item: ReadItem): (CheckedRow & { readonly isDuplicate: boolean }) | undefined;
  finish(): ValidationReport;
}

/** Validates rows one after the other. Memory: 32 bytes for each valid row, and the first 20 findings of each code. */
export function createValidator(options: ValidationOptions): Validator {
  const rules = { layout: layouts[options.layout], mapping: options.mapping ?? [] };
  const tally = createFindingTally();
  const statistics = createStatistics();
  const seen = createHashSet();
  const shape = createShapeCheck(options.layout);
  let [raw, valid, duplicates, tokens] = [0, 0, 0, 0];
  let hasFileError = false;

  const judge = (checked: CheckedRow, example: Example): Finding[] => {
    const hash = exampleHash(example);
    const place = { line: checked.source.line, row: checked.source.row };
    const told: FindingCode[] = [];
    valid++;
    statistics.add(example);
    if (!seen.add(hash)) told.push("DUPLICATE_ROW");
    if (options.heldOut?.has(hash)) told.push("IN_HELD_OUT_SET");
    const count = options.tokens?.count(example) ?? 0;
    if (options.tokens && count > options.tokens.max) told.push("LONGER_THAN_CONTEXT");
    tokens += count;
    return told.map((code) => createFinding(code, place));
  };

  return {
    check(item) {
      if ("fileFinding" in item) {
        tally.add(item.fileFinding);
        hasFileError ||= item.fileFinding.severity === "error";
        return undefined;
      }
      raw++;
      const checked = shape(checkRow(item, rules));
      const more = checked.example ? judge(checked, checked.example) : [];
      const findings = [...checked.findings, ...more];
      for (const finding of findings) tally.add(finding);
      const isDuplicate = more.some(({ code }) => code === "DUPLICATE_ROW");
      if (isDuplicate) duplicates++;
      return { ...checked, findings, isDuplicate };
    },
    finish() {
      const collected = statistics.finish();
      for (const finding of judgeLabels(collected)) tally.add(finding);
      const counts = { raw, valid, invalid: raw - valid, duplicates, turns: collected.turns };
      return {
        counts: { ...counts, tokens: options.tokens ? tokens : undefined },
        findings: tally.list(),
        statistics: collected,
        isUsable: valid > 0 && !hasFileError && !isOneSided(collected),
      };
    },
  };
}

/** TRL judges a whole file by its first row: rows of strings and rows of messages must not be mixed. */
function createShapeCheck(layout: DatasetLayout): (checked: CheckedRow) => CheckedRow {
  if (layout !== "dpo_trl" && layout !== "kto_trl") return (checked) => checked;
  const key = layout === "dpo_trl" ? "chosen" : "completion";
  let first: string | undefined;
  return (checked) => {
    if (!checked.example) return checked;
    const { source } = checked;
    const shape = `${typeof source.value?.[key]}${source.value && Object.hasOwn(source.value, "prompt") ? "" : " without prompt"}`;
    first ??= shape;
    if (shape === first) return checked;
    const finding = createFinding("OTHER_FORMAT", {
      line: source.line,
      row: source.row,
      detail: "The first row has another shape.",
    });
    return { source, example: undefined, findings: [...checked.findings, finding] };
  };
}

const isOneSided = ({ labels }: DatasetStatistics): boolean =>
  labels !== undefined && (labels.true === 0 || labels.false === 0);

function judgeLabels(statistics: DatasetStatistics): Finding[] {
  const { labels } = statistics;
  if (!labels) return [];
  const place = { line: 1, row: undefined, detail: `There are ${labels.true} true and ${labels.false} false.` };
  if (isOneSided(statistics)) return [createFinding("ONE_LABEL_ONLY", place)];
  const ratio = labels.true / labels.false;
  return ratio > 4 || ratio < 0.25 ? [createFinding("LABELS_UNBALANCED", place)] : [];
}
