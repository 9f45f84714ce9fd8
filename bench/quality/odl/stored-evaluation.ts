import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type OdlScores, odlMeasures, scoreDocument } from "./score-document.ts";

type Measure = (typeof odlMeasures)[number];

/** One value that we compute otherwise than opendataloader-bench did. */
export interface Difference {
  readonly engine: string;
  /** Undefined for the mean over all documents. */
  readonly document?: string;
  readonly measure: Measure;
  readonly stored: number | null;
  readonly ours: number | undefined;
}

const storedNames: Readonly<Record<Measure, string>> = {
  overall: "overall",
  nid: "nid",
  nidS: "nid_s",
  teds: "teds",
  tedsS: "teds_s",
  mhs: "mhs",
  mhsS: "mhs_s",
};

interface StoredEvaluation {
  readonly metrics: { readonly score: Record<string, number> };
  readonly documents: readonly { readonly document_id: string; readonly scores: Record<string, number | null> }[];
}

export interface Comparison {
  readonly engine: string;
  readonly documentCount: number;
  readonly means: Readonly<Record<Measure, number>>;
  readonly differences: readonly Difference[];
  /** Documents whose stored prediction is not the one that was evaluated. */
  readonly leftAside: readonly string[];
}

/** Half a unit of the third decimal. */
const tolerance = 0.0005;

/**
 * Predictions that are stored otherwise than they were evaluated: `fuzz.ratio` of rapidfuzz, which the evaluation was made
 * with, gives our value for them too.
 */
const changedSince: Readonly<Record<string, readonly string[]>> = {
  pymupdf4llm: ["020", "110", "126", "174", "185", "192"].map((number) => `01030000000${number}`),
};

export function listEngines(bench: string): string[] {
  return readdirSync(join(bench, "prediction")).toSorted();
}

/**
 * Scores the stored predictions of an engine and compares with its stored evaluation, each document and, where all documents
 * are scored, the means.
 */
export function compareWithStored(bench: string, engine: string, isChosen: (index: number) => boolean): Comparison {
  const folder = join(bench, "prediction", engine);
  const stored = JSON.parse(readFileSync(join(folder, "evaluation.json"), "utf8")) as StoredEvaluation;
  const chosen = stored.documents.filter((_, index) => isChosen(index));
  const scored = chosen.map(({ document_id: name }) => {
    const read = (path: string): string => readFileSync(join(path, `${name}.md`), "utf8");
    return scoreDocument(read(join(bench, "ground-truth/markdown")), read(join(folder, "markdown")));
  });
  const means = Object.fromEntries(odlMeasures.map((measure) => [measure, meanOf(scored, measure)]));
  const leftAside = changedSince[engine] ?? [];
  const ofDocuments = chosen.flatMap(({ document_id: document, scores }, index) => {
    if (leftAside.includes(document)) return [];
    const rows = odlMeasures.map((measure) => ({ measure, stored: scores[storedNames[measure]] ?? null }));
    return rows.map((row) => ({ engine, document, ...row, ours: scored[index]?.[row.measure] }));
  });
  const ofMeans = odlMeasures.map((measure) => {
    return { engine, measure, stored: stored.metrics.score[`${storedNames[measure]}_mean`]!, ours: means[measure] };
  });
  const isWhole = chosen.length === stored.documents.length;
  const differences = [...(isWhole ? ofMeans : []), ...ofDocuments].filter(isDifferent);
  return { engine, documentCount: chosen.length, means: means as Record<Measure, number>, differences, leftAside };
}

function isDifferent({ stored, ours }: Pick<Difference, "stored" | "ours">): boolean {
  if (stored === null || ours === undefined) return stored !== null || ours !== undefined;
  return Math.abs(stored - ours) >= tolerance;
}

function meanOf(scores: readonly OdlScores[], measure: Measure): number {
  const values = scores.flatMap((score) => score[measure] ?? []);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
