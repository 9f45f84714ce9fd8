import { runCauses } from "@attune/contracts/compute/run-causes.ts";
import type { TruthRow } from "./truth-case.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const toLine = ({ fault, injected, state, cause }: TruthRow): string => {
  const hint = cause === null ? "" : runCauses[cause].hint;
  return `| ${[fault, injected, state, cause === null ? "" : `\`${cause}\``, hint].map(cell).join(" | ")} |`;
};

/** The truth table as a page: every row is what a test found. */
export function renderTruth(parts: Readonly<Record<string, readonly TruthRow[]>>): string {
  const rows = Object.values(parts).flat().length;
  const sections = Object.entries(parts).map(([title, part]) =>
    [
      `## ${title}`,
      "",
      "| Fault | How it is brought about | State | Cause | What to do |",
      "| --- | --- | --- | --- | --- |",
      ...part.map(toLine),
    ].join("\n"),
  );
  return `${[intro(rows), ...sections].join("\n\n")}\n`;
}

const intro = (rows: number): string => `# What a node says of a run, whatever happens to it

Every one of these ${rows} rows is a test in \`apps/node-agent/src/runs/truth\`, which brings the fault about and then checks state,
cause and hint; that a run which did not succeed has the last 200 lines of its log; that its GPUs are free again; and that no
process of it is left. \`UPDATE_TRUTH=1 npx vitest run apps/node-agent/src/runs/truth\` writes this page.

Where several things are known the order is: what the worker said (\`done\`, \`error\`), why the agent ended it, how its process
ended (\`exit.json\`), what its log says. A run of which nothing is known is \`lost\`. A run that has ended never changes.`;
