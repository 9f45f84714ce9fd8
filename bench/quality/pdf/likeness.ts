import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { labelOf } from "../../peers/peer.ts";
import { peersFolder } from "../../peers/peers.ts";
import { drawBarChart } from "../../report/bar-chart.ts";
import { renderTable } from "../../report/table.ts";
import { odlMeasures, type OdlScores, scoreDocument } from "../odl/score-document.ts";
import { type Summary, summarise } from "../summary.ts";
import { type Run, runsOver, type Section } from "./run.ts";
import type { TruthSet } from "./true-markdown.ts";

const titles = {
  overall: "overall",
  nid: "NID",
  nidS: "NID-S",
  teds: "TEDS",
  tedsS: "TEDS-S",
  mhs: "MHS",
  mhsS: "MHS-S",
};

interface Scored {
  readonly name: string;
  readonly scores: ReadonlyMap<string, OdlScores>;
}

/** Documents whose content is known as Markdown, by the measures of opendataloader-bench. */
export function reportLikeness(runs: readonly Run[], set: TruthSet, chartName: string): Section {
  const heading = `### ${set.documents.length} ${set.name}`;
  if (set.documents.length === 0) {
    return { markdown: `### ${set.name}\n\nNothing measured: ${set.missing ?? "no files"}.`, charts: new Map() };
  }
  const asked = runsOver(
    runs,
    set.documents.map(({ path }) => path),
  );
  const scored = asked.map((run) => ({ name: labelOf(run.peer), scores: scoreRun(run, set) }));
  const table = renderTable(
    ["mean / worst tenth / minimum", ...odlMeasures.map((measure) => titles[measure])],
    scored.map(({ name, scores }) => {
      return [name, ...odlMeasures.map((measure) => show(summaryOf(scores, measure)))];
    }),
  );
  const markdown = [heading, "", table, "", `![Likeness of ${set.name}](${chartName})`].join("\n");
  return { markdown, charts: new Map([[chartName, chart(scored, set.name)]]) };
}

function scoreRun({ answers }: Run, { documents }: TruthSet): ReadonlyMap<string, OdlScores> {
  const scores = documents.map(({ path, truth }) => {
    return [basename(path), scoreOnce(truth, answers.get(path)?.text ?? "")] as const;
  });
  return new Map(scores);
}

// Long articles take seconds; a peer's answer is the same the next time.
function scoreOnce(truth: string, candidate: string): OdlScores {
  const folder = join(peersFolder, "scores");
  const hash = createHash("sha256").update(truth).update("\0").update(candidate).digest("hex").slice(0, 32);
  const kept = join(folder, `${hash}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8")) as OdlScores;
  mkdirSync(folder, { recursive: true });
  const scores = scoreDocument(truth, candidate);
  writeFileSync(kept, JSON.stringify(scores));
  return scores;
}

function summaryOf(scores: Scored["scores"], measure: (typeof odlMeasures)[number]): Summary | undefined {
  return summarise(new Map([...scores].map(([document, row]) => [document, row[measure]])));
}

function show(summary: Summary | undefined): string {
  if (summary === undefined) return "–";
  return [summary.mean, summary.worstTenth, summary.min].map((value) => value.toFixed(3)).join(" / ");
}

function chart(scored: readonly Scored[], name: string): string {
  const measures = ["nid", "teds", "mhs"] as const;
  const groups = scored.map(({ name: label, scores }) => {
    return { label, values: measures.map((measure) => summaryOf(scores, measure)?.mean) };
  });
  const series = measures.map((measure) => titles[measure]);
  return drawBarChart({ title: `${name}: likeness, means`, series, groups, max: 1, digits: 3 });
}
