import type { DatasetExportLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Queries } from "../../../infra/db/create-database.ts";
import type { ConversionCounts } from "../formats/convert-examples.ts";
import type { DatasetExport, ExampleSource } from "../formats/exports/export-file.ts";
import { exportHuggingFace } from "../formats/exports/hugging-face.ts";
import { exportLlamaFactory, type LlamaFactoryLayout, llamaFactoryLayouts } from "../formats/exports/llama-factory.ts";
import { exportTrl, type TrlLoss } from "../formats/exports/trl.ts";
import { layouts } from "../formats/layouts/layouts.ts";
import type { DatasetRow } from "../repo.ts";
import { readExamples } from "../stored-rows.ts";
import type { VersionRow } from "../version-repo.ts";
import type { ZipPart } from "./write-zip.ts";

export interface VersionExport {
  readonly parts: readonly ZipPart[];
  readonly counts: ExportCounts;
}

export interface ExportCounts {
  /** Rows of the version. */
  readonly rows: number;
  /** Rows of the files that are written. */
  readonly written: number;
  /** What was left out, by reason: `INVALID_ROW`, or why the layout cannot hold it. */
  readonly refused: Readonly<Record<string, number>>;
  readonly losses: Readonly<Record<string, number>>;
}

interface ExportRequest {
  readonly dataset: Pick<DatasetRow, "name" | "description">;
  readonly version: VersionRow;
  readonly layout: DatasetExportLayout;
  readonly unwritable: "refuse" | "skip";
}

/**
 * Files of a version for a training program. All is read once before, so that what cannot be written is known in time.
 * @throws AppError `DATASET_EMPTY`, `DATASET_EXPORT_INCOMPLETE`.
 */
export async function prepareExport(queries: Queries, request: ExportRequest): Promise<VersionExport> {
  const { version, unwritable } = request;
  if (version.layout === null) throw new AppError("DATASET_EMPTY", { detail: "Its format is not known." });
  const examples: ExampleSource = async function* () {
    for await (const rows of readExamples(queries, version)) yield rows.map(({ example }) => example);
  };
  const made = layOut(request, version.layout, examples);
  const sizes = new Map<string, number>();
  for (const { path, chunks } of made.files) {
    let sizeBytes = 0;
    for await (const text of chunks()) sizeBytes += Buffer.byteLength(text);
    sizes.set(path, sizeBytes);
  }
  const counts = sumCounts(version, Object.values(made.counts()));
  if (counts.written === 0) throw new AppError("DATASET_EMPTY", { violations: toViolations(counts) });
  if (unwritable === "refuse" && Object.keys(counts.refused).length > 0)
    throw new AppError("DATASET_EXPORT_INCOMPLETE", { violations: toViolations(counts) });
  const parts = made.files.map(({ path, chunks }): ZipPart => {
    return { path, expectedBytes: sizes.get(path) ?? 0, open: () => toBytes(chunks()) };
  });
  return { parts, counts };
}

export async function* toBytes(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}

function layOut(
  { dataset, layout }: ExportRequest,
  own: NonNullable<VersionRow["layout"]>,
  examples: ExampleSource,
): DatasetExport {
  const splits = [{ name: "train", examples }];
  const { name, description } = dataset;
  const { kind } = layouts[own];
  if (layout === "hugging_face") return exportHuggingFace({ name, description, layout: own, splits });
  if (layout === "llama_factory") {
    const kept = llamaFactoryLayouts.find((known) => known === own) ?? nearest[kind];
    return exportLlamaFactory({ name, layout: kept, splits });
  }
  return exportTrl({ kind, loss: losses[layout], splits });
}

/** Where LLaMA-Factory does not read the version's own layout: the one that holds most. */
const nearest = { sft: "sharegpt", dpo: "dpo_sharegpt", kto: "kto_sharegpt", cpt: "cpt" } as const satisfies Record<
  string,
  LlamaFactoryLayout
>;

const losses = {
  trl_all: "all",
  trl_each_answer: "each_answer",
  trl_last_answer: "last_answer",
} as const satisfies Record<string, TrlLoss>;

function sumCounts({ rawCount, recordCount }: VersionRow, files: readonly ConversionCounts[]): ExportCounts {
  const total = {
    rows: rawCount,
    written: 0,
    refused: {} as Record<string, number>,
    losses: {} as Record<string, number>,
  };
  if (rawCount > recordCount) total.refused["INVALID_ROW"] = rawCount - recordCount;
  for (const { written, refused, losses: lost } of files) {
    total.written += written;
    for (const [code, count] of Object.entries(refused)) total.refused[code] = (total.refused[code] ?? 0) + count;
    for (const [code, count] of Object.entries(lost)) total.losses[code] = (total.losses[code] ?? 0) + count;
  }
  return total;
}

const toViolations = ({ rows, refused }: ExportCounts) =>
  Object.entries(refused).map(([code, count]) => ({
    pointer: "/query/layout",
    message: `${code}: ${count} of ${rows} rows`,
  }));
