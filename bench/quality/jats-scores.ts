import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const jatsMeasures = ["recall", "order", "headF", "level", "rows", "noise"] as const;
export type JatsMeasure = (typeof jatsMeasures)[number];

/** Scores of NAME.md, by name; a measure that a document has nothing for is undefined. */
export type JatsScores = ReadonlyMap<string, Readonly<Record<JatsMeasure, number | undefined>>>;

/** Hands the NAME.xml of one folder and the NAME.md of another to the scorer. */
export function scoreJats(scorer: string, truth: string, candidates: string): JatsScores {
  const report = join(candidates, "scores.json");
  const { status, stderr } = spawnSync("python3", [scorer, truth, candidates, "--json", report], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the scorer ended with status ${status}: ${stderr}`);
  type Row = Record<JatsMeasure, number | null>;
  const [scores = {}] = Object.values(JSON.parse(readFileSync(report, "utf8")) as Record<string, Record<string, Row>>);
  return new Map(
    Object.entries(scores).map(([name, row]) => {
      const known = jatsMeasures.map((measure) => [measure, row[measure] ?? undefined] as const);
      return [name, Object.fromEntries(known) as Record<JatsMeasure, number | undefined>];
    }),
  );
}
