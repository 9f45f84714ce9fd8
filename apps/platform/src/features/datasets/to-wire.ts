import type {
  Dataset,
  conversionCountsSchema,
  datasetVersionSchema,
  findingSchema,
  validationReportSchema,
} from "@attune/contracts/rest/dataset-schemas.ts";
import type * as z from "zod";
import type { ConversionCounts } from "./formats/convert-examples.ts";
import type { Finding } from "./formats/finding.ts";
import { layouts } from "./formats/layouts/layouts.ts";
import type { ValidationReport } from "./formats/validate.ts";
import type { DatasetRow } from "./repo.ts";
import type { VersionRow } from "./version-repo.ts";

export function toWire(row: DatasetRow): Dataset {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    format: row.layout === null ? null : layouts[row.layout].format,
    layout: row.layout,
    size: row.size,
    record_count: row.recordCount,
    version_no: row.versionNo,
    is_private: row.isPrivate,
    owner_id: row.ownerId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    deleted_at: row.deletedAt?.toISOString() ?? null,
    version: row.version,
  };
}

export const toWireVersion = (row: VersionRow): z.output<typeof datasetVersionSchema> => ({
  version_no: row.versionNo,
  origin: row.origin,
  parent_version_no: row.parentVersionNo,
  layout: row.layout,
  mapping: row.mapping.map(({ from, to }) => ({ from, to })),
  size: row.size,
  raw_count: row.rawCount,
  record_count: row.recordCount,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
});

export const toWireFinding = ({ row, ...finding }: Finding): z.output<typeof findingSchema> => ({
  ...finding,
  row: row ?? null,
});

/** Also of a report that was kept as JSON, where what is undefined is absent. */
export function toWireReport(report: ValidationReport): z.output<typeof validationReportSchema> {
  const { counts, findings, statistics } = report;
  const { recordCount, characters, turns, characterRange, lengths, turnCounts, labels } = statistics;
  return {
    is_usable: report.isUsable,
    counts: { ...counts, tokens: counts.tokens ?? null },
    findings: findings.map((finding) => ({ ...finding, first: finding.first.map(toWireFinding) })),
    statistics: {
      record_count: recordCount,
      characters,
      turns,
      character_range: { ...characterRange },
      lengths: lengths.map((length) => ({ ...length })),
      turn_counts: turnCounts.map((turn) => ({ ...turn })),
      labels: labels ? { ...labels } : null,
    },
  };
}

export const toWireCounts = ({
  read,
  written,
  refused,
  losses,
}: ConversionCounts): z.output<typeof conversionCountsSchema> => ({
  read,
  written,
  refused: { ...refused },
  losses: { ...losses },
});
