import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  evalFiles,
  type EvalPrediction,
  evalPrediction,
  type EvalRecord,
  evalRecord,
} from "@attune/contracts/compute/eval-results.ts";
import { evalSpec, type EvalSpec } from "@attune/contracts/compute/run-spec.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import type * as z from "zod";

export interface Evaluation {
  readonly spec: EvalSpec;
  readonly record: EvalRecord;
  /** One for every record, in their order. */
  readonly predictions: readonly EvalPrediction[];
}

/** What an evaluation that came to its end left in its run folder. @throws AppError EVALUATION_UNFINISHED, EVALUATION_UNREADABLE */
export async function readEvaluation(runFolder: string): Promise<Evaluation> {
  const output = join(runFolder, "output");
  const spec = await readJson(join(runFolder, "spec.json"), evalSpec);
  const record = await readJson(join(output, evalFiles.record), evalRecord);
  if (!record.complete) throw new AppError("EVALUATION_UNFINISHED");
  const predictions = await readPredictions(join(output, evalFiles.predictions));
  const { records } = record.dataset;
  if (predictions.length !== records || predictions.some(({ index }, place) => index !== place)) {
    throw unreadable(`Of ${records} records there are ${predictions.length} answers, or they are not in their order.`);
  }
  return { spec, record, predictions };
}

async function readJson<TSchema extends z.ZodType>(path: string, schema: TSchema): Promise<z.output<TSchema>> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) throw new AppError("EVALUATION_UNFINISHED", {}, error);
    throw unreadable("A file cannot be read.", error);
  });
  return parse(text, schema);
}

async function readPredictions(path: string): Promise<readonly EvalPrediction[]> {
  const predictions: EvalPrediction[] = [];
  try {
    for await (const line of readLines(path)) {
      const { index, record, reference, prediction, finish, error } = parse(line, evalPrediction);
      predictions.push({ index, record, reference, prediction, finish, error });
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreadable("The answers cannot be read.", error);
  }
  return predictions;
}

/** At line feeds alone: `readline` also ends lines at U+2028 and U+2029, which stand in the texts of many documents. */
async function* readLines(path: string): AsyncGenerator<string> {
  let line = "";
  for await (const text of createReadStream(path, "utf8") as AsyncIterable<string>) {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      yield line + text.slice(start, end);
      line = "";
      start = end + 1;
    }
    line += text.slice(start);
  }
  if (line !== "") yield line;
}

function parse<TSchema extends z.ZodType>(text: string, schema: TSchema): z.output<TSchema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw unreadable("A line or a file of it has not the form it should have.", error);
  }
}

const unreadable = (detail: string, cause?: unknown): AppError =>
  new AppError("EVALUATION_UNREADABLE", { detail }, cause);
