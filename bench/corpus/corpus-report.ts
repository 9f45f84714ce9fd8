import type { CorpusOutcome } from "./parse-corpus.ts";
import { isDocumented } from "./parse-corpus.ts";

export interface CorpusRun {
  readonly outcomes: readonly CorpusOutcome[];
  /** Files whose answer differed in the second run. */
  readonly changed: readonly string[];
  readonly crashes: number;
  readonly date: string;
  readonly peakServiceMib: number;
}

/** The report of a run over the corpus, in Markdown. */
export function renderReport({ outcomes, changed, crashes, date, peakServiceMib }: CorpusRun): string {
  const failed = outcomes.filter(({ isSuccess }) => !isSuccess);
  const empty = outcomes.filter(({ isSuccess, contentLength }) => isSuccess && contentLength === 0);
  const unanswered = failed.filter(({ reason }) => reason === "NO_ANSWER");
  const undocumented = failed.filter(({ reason }) => reason !== "NO_ANSWER" && !isDocumented(reason));
  return `${[
    "# The corpus through the service",
    `Made by \`npm run corpus\` on ${date}: ${outcomes.length} real files, each parsed twice over gRPC.`,
    table(
      ["What", "Files"],
      [
        ["parsed", String(outcomes.length - failed.length)],
        ["refused with a documented reason", String(failed.length - unanswered.length - undocumented.length)],
        ["parsed, but empty", String(empty.length)],
        ["calls without an answer", String(unanswered.length)],
        ["failures without a documented reason", String(undocumented.length)],
        ["error text in content", String(outcomes.filter(({ hasErrorInContent }) => hasErrorInContent).length)],
        ["different bytes in the second run", String(changed.length)],
        ["crashes of the service", String(crashes)],
        ["peak memory of the service process, MiB", String(peakServiceMib)],
      ],
    ),
    "## By type",
    typeTable(outcomes),
    "## Empty results",
    list(empty.map(({ file, message }) => `${file}: ${message}`)),
    "## Refusals",
    list(failed.map(({ file, message }) => `${file}: ${message}`)),
    ...(changed.length === 0 ? [] : ["## Different in the second run", list(changed)]),
  ].join("\n\n")}\n`;
}

function typeTable(outcomes: readonly CorpusOutcome[]): string {
  const groups = Map.groupBy(outcomes, ({ fileType, extension }) => fileType || `(unknown: .${extension})`);
  const rows = [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([type, members]) => typeRow(type, members));
  return table(
    ["Type", "Files", "Parsed", "With warnings", "Empty", "Killed by time", "Killed by memory", "Refused", "Median ms"],
    rows,
  );
}

function typeRow(type: string, members: readonly CorpusOutcome[]): readonly string[] {
  const parsed = members.filter(({ isSuccess }) => isSuccess);
  const killed = (reason: string): number => members.filter((member) => member.reason === reason).length;
  const others = Map.groupBy(
    members.filter(({ isSuccess, reason }) => !isSuccess && reason !== "PARSE_TIMEOUT" && reason !== "MEMORY_EXCEEDED"),
    ({ reason }) => reason,
  );
  const times = members.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return [
    type,
    String(members.length),
    String(parsed.length),
    String(parsed.filter(({ message }) => message !== "").length),
    String(parsed.filter(({ contentLength }) => contentLength === 0).length),
    String(killed("PARSE_TIMEOUT")),
    String(killed("MEMORY_EXCEEDED")),
    [...others].map(([reason, of]) => `${reason} ${of.length}`).join(", "),
    (times[Math.floor(times.length / 2)] ?? 0).toFixed(0),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "None." : items.map((item) => `- ${item.replaceAll("\n", " ").slice(0, 400)}`).join("\n");
}
