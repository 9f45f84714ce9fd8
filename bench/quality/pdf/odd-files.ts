import { basename } from "node:path";
import { labelOf } from "../../peers/peer.ts";
import { renderTable } from "../../report/table.ts";
import { countTokens } from "../silent-loss-tokens.ts";
import { type Run, runsOver, type Section } from "./run.ts";

/** Fewer words than this are no ground to judge a reader by. */
const minTokenCount = 200;
const witnesses = ["pdftotext", "mutool"];

interface Consensus {
  readonly path: string;
  readonly tokens: ReadonlyMap<string, number>;
  readonly count: number;
}

/** Odd files: what both pdftotext and mutool find, and who returns fewer than half of it. */
export function reportOddFiles(all: readonly Run[], paths: readonly string[]): Section {
  const runs = runsOver(all, paths);
  const title = `## ${paths.length} odd PDFs: words that two witnesses agree on`;
  const agreeing = witnesses.map((id) => runs.find(({ peer }) => peer.id === id));
  if (agreeing.some((run) => run?.peer.missing !== undefined || run === undefined)) {
    return { markdown: `${title}\n\nNothing measured: ${witnesses.join(" or ")} is missing.`, charts: new Map() };
  }
  const consensus = paths.flatMap((path) => agree(agreeing as Run[], path) ?? []);
  const rows = runs.map((run) => {
    const shares = consensus.map((one) => ({ name: basename(one.path), share: shareOf(run, one), path: one.path }));
    return { run, lost: shares.filter(({ share }) => share < 0.5) };
  });
  const table = renderTable(
    ["", "files with fewer than half the words", "of them refused or failed with a reason"],
    rows.map(({ run, lost }) => {
      const told = lost.filter(({ path }) => run.answers.get(path)?.error !== undefined);
      return [labelOf(run.peer), String(lost.length), String(told.length)];
    }),
  );
  const ours = rows[0]!;
  const list = ours.lost.map(({ name, share, path }) => {
    const error = ours.run.answers.get(path)?.error;
    return `- ${name}: ${error === undefined ? `${(100 * share).toFixed(0)} % of the words` : error}`;
  });
  const markdown = [
    title,
    "",
    `On ${consensus.length} of them pdftotext and mutool agree on at least ${minTokenCount} words.`,
    "",
    table,
    "",
    ...(list.length === 0 ? [] : [`The files of ${labelOf(ours.run.peer)}:`, "", ...list]),
  ].join("\n");
  return { markdown, charts: new Map() };
}

function agree([one, other]: readonly Run[], path: string): Consensus | undefined {
  const [first, second] = [one, other].map((run) => countTokens(run?.answers.get(path)?.text ?? ""));
  const tokens = new Map<string, number>();
  let count = 0;
  for (const [token, times] of first!) {
    const shared = Math.min(times, second!.get(token) ?? 0);
    if (shared > 0) tokens.set(token, shared);
    count += shared;
  }
  return count < minTokenCount ? undefined : { path, tokens, count };
}

function shareOf({ answers }: Run, { path, tokens, count }: Consensus): number {
  const found = countTokens(answers.get(path)?.text ?? "");
  let shared = 0;
  for (const [token, times] of tokens) shared += Math.min(times, found.get(token) ?? 0);
  return shared / count;
}
