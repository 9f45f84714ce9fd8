import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ReportRow {
  readonly id: string;
  readonly what: string;
  /** The reason, or that it was read. */
  readonly outcome: string;
  readonly message: string;
  readonly durationMs: number;
}

const path = join(import.meta.dirname, "../../docs/benchmarks/hostile.md");
const head = `# Hostile documents

What the service answers to each case of \`e2e/hostile\`, and after how many milliseconds of wall-clock time. Written by
\`HOSTILE_REPORT=1 npx vitest run e2e/hostile --no-file-parallelism\`; times depend on the machine and on what else it does.
`;

/** Prints what came of a family of cases; with HOSTILE_REPORT=1 writes its section of the report as well. */
export function printReport(family: string, rows: readonly ReportRow[]): void {
  const width = Math.max(0, ...rows.map(({ id, what }) => id.length + what.length + 1));
  const lines = rows.map(({ id, what, outcome, durationMs }) => {
    return `${`${id} ${what}`.padEnd(width)}  ${outcome.padEnd(24)} ${String(durationMs).padStart(6)} ms`;
  });
  console.log([`hostile ${family}:`, ...lines].join("\n"));
  if (process.env["HOSTILE_REPORT"] === "1") writeSection(family, rows);
}

function writeSection(family: string, rows: readonly ReportRow[]): void {
  const table = rows.map(({ id, what, outcome, durationMs }) => `| ${id} | ${what} | ${outcome} | ${durationMs} |`);
  const section = [`## ${family}`, "", "| case | what | answer | ms |", "| --- | --- | --- | --- |", ...table, ""].join(
    "\n",
  );
  const sections = existsSync(path)
    ? readFileSync(path, "utf8")
        .split(/^(?=## )/m)
        .slice(1)
    : [];
  const others = sections.filter((other) => !other.startsWith(`## ${family}\n`)).map((other) => `${other.trimEnd()}\n`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [head, ...[...others, section].sort()].join("\n"));
}
