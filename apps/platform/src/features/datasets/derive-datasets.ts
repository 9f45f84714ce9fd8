import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Database, Transaction } from "../../infra/db/create-database.ts";
import { type ConversionCounts, createConverter } from "./formats/convert-examples.ts";
import type { TextStyle } from "./formats/convert-kind.ts";
import { exampleHash } from "./formats/content-hash.ts";
import { createHashSet } from "./formats/hash-set.ts";
import { type SplitRule, splitOf } from "./formats/split-examples.ts";
import { type DatasetRow, findDataset } from "./repo.ts";
import { createRowWriter, type Placement, type RowWriter } from "./row-writer.ts";
import { addDataset } from "./service.ts";
import { readExamples } from "./stored-rows.ts";
import { insertVersion, type VersionRow } from "./version-repo.ts";

export interface Derivation<Result> {
  readonly database: Database;
  readonly dataset: DatasetRow;
  readonly version: VersionRow;
  readonly userId: string;
  /** Makes the datasets, in a transaction with what else is to be written. When it throws, nothing is left. */
  readonly commit: (make: (tx: Transaction) => Promise<Result>) => Promise<Result>;
}

export interface ConversionResult {
  readonly dataset: DatasetRow;
  readonly counts: ConversionCounts;
}

interface Conversion {
  readonly name: string;
  readonly layout: DatasetLayout;
  readonly textStyle: TextStyle;
}

/**
 * Writes a version in another layout, as a new dataset.
 * @throws AppError `DATASET_EMPTY` when nothing can be written, `DATASET_NAME_TAKEN`.
 */
export async function convertDataset(
  derivation: Derivation<ConversionResult>,
  { name, layout, textStyle }: Conversion,
): Promise<ConversionResult> {
  const { database, version } = derivation;
  const converter = createConverter({ layout, textStyle });
  return withWriters(derivation, 1, async ([target]) => {
    for await (const examples of readExamples(database.queries, version)) {
      for (const { example } of examples) {
        for (const row of converter.convert(example)) await target?.add(JSON.stringify(row));
      }
    }
    const counts = converter.counts();
    const refused = Object.entries(counts.refused).map(([code, count]) => `${code} ${count}`);
    if (counts.written === 0)
      throw new AppError("DATASET_EMPTY", {
        detail: `No row can be written as ${layout}: ${refused.join(", ") || "there are none"}.`,
      });
    const targets = await finishAll([
      { name, layout, mapping: [], origin: "convert", target: target as CountingWriter },
    ]);
    return derivation.commit(async (tx) => {
      const [dataset] = await makeDatasets(tx, derivation, targets);
      return { dataset: dataset as DatasetRow, counts };
    });
  });
}

interface Split extends SplitRule {
  readonly trainName: string;
  readonly validationName: string;
}

export interface SplitResult {
  readonly train: DatasetRow;
  readonly validation: DatasetRow;
  readonly duplicatesRemoved: number;
}

/**
 * Makes two datasets of the valid rows of a version, without duplicates.
 * @throws AppError `DATASET_EMPTY` when one side would have no rows, `DATASET_NAME_TAKEN`.
 */
export async function splitDataset(derivation: Derivation<SplitResult>, split: Split): Promise<SplitResult> {
  const { database, version } = derivation;
  const { layout, mapping } = version;
  const seen = createHashSet();
  let duplicatesRemoved = 0;
  return withWriters(derivation, 2, async ([train, validation]) => {
    for await (const rows of readExamples(database.queries, version)) {
      for (const { example, source } of rows) {
        const hash = exampleHash(example);
        if (!seen.add(hash)) duplicatesRemoved++;
        else await (splitOf(hash, split) === "train" ? train : validation)?.add(source.text);
      }
    }
    const sides = [train as CountingWriter, validation as CountingWriter];
    if (sides.some(({ rows }) => rows === 0))
      throw new AppError("DATASET_EMPTY", { detail: "One side of the split would have no rows." });
    const names = [split.trainName, split.validationName];
    const targets = await finishAll(
      sides.map((target, side) => ({ name: names[side] as string, layout, mapping, origin: "split", target })),
    );
    return derivation.commit(async (tx) => {
      const made = await makeDatasets(tx, derivation, targets);
      return { train: made[0] as DatasetRow, validation: made[1] as DatasetRow, duplicatesRemoved };
    });
  });
}

interface CountingWriter extends RowWriter {
  readonly rows: number;
  readonly bytes: number;
}

async function withWriters<T>(
  { database, dataset }: Pick<Derivation<T>, "database" | "dataset">,
  count: number,
  work: (writers: readonly CountingWriter[]) => Promise<T>,
): Promise<T> {
  const writers = Array.from({ length: count }, () => countRows(createRowWriter(database.queries, dataset.tenantId)));
  try {
    return await work(writers);
  } catch (error) {
    for (const writer of writers) await writer.discard();
    throw error;
  }
}

function countRows(writer: RowWriter): CountingWriter {
  let [rows, bytes] = [0, 0];
  return {
    ...writer,
    async add(text) {
      rows++;
      bytes += Buffer.byteLength(text) + 1;
      await writer.add(text);
    },
    get rows() {
      return rows;
    },
    get bytes() {
      return bytes;
    },
  };
}

interface Target extends Pick<VersionRow, "layout" | "mapping" | "origin"> {
  readonly name: string;
  readonly target: CountingWriter;
}

interface FinishedTarget extends Target {
  readonly placements: readonly Placement[];
}

const finishAll = (targets: readonly Target[]): Promise<FinishedTarget[]> =>
  Promise.all(targets.map(async (target) => ({ ...target, placements: await target.target.finish() })));

type Source = Pick<Derivation<unknown>, "dataset" | "version" | "userId">;

async function makeDatasets(
  tx: Transaction,
  { dataset: { tenantId, isPrivate, name: sourceName }, version: source, userId }: Source,
  targets: readonly FinishedTarget[],
): Promise<DatasetRow[]> {
  const made: DatasetRow[] = [];
  for (const { name, target, ...facts } of targets) {
    const description = `Made of ${sourceName}, version ${source.versionNo}.`;
    const { id } = await addDataset(tx, { tenantId, userId, name, description, isPrivate });
    const { rows, bytes } = target;
    const files = [{ name: "data.jsonl", fileId: null, size: bytes, rawCount: rows, recordCount: rows }];
    await insertVersion(tx, { id, baseNo: 0 }, { ...facts, report: null, createdBy: userId, files });
    made.push((await findDataset(tx, tenantId, id)) as DatasetRow);
  }
  return made;
}
