import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { labelOf } from "../../peers/peer.ts";
import { drawBarChart } from "../../report/bar-chart.ts";
import { renderTable } from "../../report/table.ts";
import { type JatsMeasure, jatsMeasures, type JatsScores, scoreJats } from "../jats-scores.ts";
import { type Summary, summarise } from "../summary.ts";
import { type Run, runsOver, type Section } from "./run.ts";

interface Articles {
  /** Holds NAME.pdf and NAME.xml. */
  readonly folder: string;
  readonly scorer: string;
  readonly paths: readonly string[];
}

interface Scored {
  readonly name: string;
  readonly scores: JatsScores;
}

const titles: Readonly<Record<JatsMeasure, string>> = {
  recall: "recall",
  order: "order",
  headF: "heading F1",
  level: "level",
  rows: "table rows",
  noise: "noise",
};

/** More than this below the best peer is a document that a reader should look at. */
const notableLoss = 0.03;

/** Articles against their publishers' JATS XML. The first run is ours. */
export function reportArticles(runs: readonly Run[], articles: Articles): Section {
  const scored = runsOver(runs, articles.paths).map((run) => ({
    name: labelOf(run.peer),
    scores: scoreRun(run, articles),
  }));
  const table = renderTable(
    ["mean / worst tenth / minimum", ...jatsMeasures.map((measure) => titles[measure])],
    scored.map(({ name, scores }) => [name, ...jatsMeasures.map((measure) => show(summaryOf(scores, measure)))]),
  );
  const markdown = [
    `## ${articles.paths.length} articles against their publishers' XML`,
    "",
    explanation,
    "",
    table,
    "",
    "![Share of the words found](pdf-recall.svg)",
    "",
    "![Headings and table rows](pdf-structure.svg)",
    "",
    ...renderLosses(scored),
  ].join("\n");
  return { markdown, charts: new Map([...chartRecall(scored), ...chartStructure(scored)]) };
}

const explanation = `Recall: share of the six-word runs of the body's paragraphs that are found. Order: how much of what is found stands in the
order of the article. Heading F1: section titles found as headings. Level: neighbouring headings whose deeper, same or
shallower agrees. Table rows: rows all of whose cells stand in one row. Noise: 1 less the share of lines that are running
heads and feet. The scorer leaves citations out of the truth that stand in every article, and takes a phrase for misplaced
that the abstract has as well: the publishers' own text scores 0.911 / 0.838 / 0.798 in recall and 0.972 / 0.909 / 0.869 in
order (\`node bench/quality/jats-ceiling.ts\`). A file that a reader fails on counts as 0.`;

function scoreRun({ answers }: Run, { folder, scorer, paths }: Articles): JatsScores {
  const out = mkdtempSync(join(tmpdir(), "articles-"));
  for (const path of paths) {
    writeFileSync(join(out, `${basename(path, ".pdf")}.md`), answers.get(path)?.text ?? "");
  }
  const scores = scoreJats(scorer, folder, out);
  rmSync(out, { recursive: true });
  return scores;
}

function summaryOf(scores: JatsScores, measure: JatsMeasure): Summary | undefined {
  return summarise(new Map([...scores].map(([document, row]) => [document, row[measure]])));
}

function show(summary: Summary | undefined): string {
  if (summary === undefined) return "–";
  return [summary.mean, summary.worstTenth, summary.min].map((value) => value.toFixed(3)).join(" / ");
}

function renderLosses([ours, ...others]: readonly Scored[]): string[] {
  const differences = [...ours!.scores].map(([document, { recall = 0 }]) => {
    const best = others
      .map(({ name, scores }) => ({ name, recall: scores.get(document)?.recall ?? 0 }))
      .reduce((one, other) => (other.recall > one.recall ? other : one), { name: "", recall: 0 });
    return { document, recall, best, difference: recall - best.recall };
  });
  const below = differences
    .filter(({ difference }) => difference < -notableLoss)
    .toSorted((one, other) => one.difference - other.difference);
  const ahead = differences.filter(({ difference }) => difference >= 0).length;
  const sentence = `On ${ahead} of ${differences.length} articles no peer finds more of the words than ${ours!.name}; on ${below.length} the best peer of that very article finds more by over ${notableLoss}${below.length === 0 ? "." : ":"}`;
  if (below.length === 0) return [sentence];
  const rows = below.map(({ document, recall, best, difference }) => {
    return [document, recall.toFixed(3), best.recall.toFixed(3), best.name, difference.toFixed(3)];
  });
  return [sentence, "", renderTable(["Article", ours!.name, "Best peer", "", "Difference"], rows)];
}

function chartRecall(scored: readonly Scored[]): [string, string][] {
  const groups = scored.map(({ name, scores }) => {
    const summary = summaryOf(scores, "recall");
    return { label: name, values: [summary?.mean, summary?.worstTenth, summary?.min] };
  });
  const title = "Articles: share of the words found (recall)";
  const chart = { title, series: ["mean", "mean of the worst tenth", "minimum"], groups, max: 1, digits: 3 };
  return [["pdf-recall.svg", drawBarChart(chart)]];
}

function chartStructure(scored: readonly Scored[]): [string, string][] {
  const measures = ["order", "headF", "rows"] as const;
  const groups = scored.map(({ name, scores }) => {
    return { label: name, values: measures.map((measure) => summaryOf(scores, measure)?.mean) };
  });
  const series = measures.map((measure) => titles[measure]);
  return [
    ["pdf-structure.svg", drawBarChart({ title: "Articles: structure, means", series, groups, max: 1, digits: 3 })],
  ];
}
