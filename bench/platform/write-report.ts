import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, totalmem } from "node:os";
import { join } from "node:path";

const path = join(import.meta.dirname, "../../docs/benchmarks/platform.md");
const head = `# The platform: large files, many rows, many readers

The platform runs as a program of its own with the embedded PostgreSQL, whose settings are those of \`npm start\`: it waits for the
disk. Client, platform and database share the machine. Peak memory is what the kernel counts as resident for the process of the
platform. Every section is written by the command that it names.
`;

/** Puts a section into docs/benchmarks/platform.md, in place of the one of this title, and prints it. */
export function writeReport(
  title: string,
  { command, body }: { readonly command: string; readonly body: string },
): void {
  const cores = availableParallelism();
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${cores} cores, ${memory} GiB, Node ${process.versions.node}`;
  const section = `## ${title}\n\n${body}\n\nWritten by \`${command}\` on ${machine}; load before it ${loadBefore}.\n`;
  const present = existsSync(path) ? readFileSync(path, "utf8") : head;
  const [, ...sections] = present.split(/^(?=## )/m);
  const others = sections.filter((one) => !one.startsWith(`## ${title}\n`));
  const all = [...others.map((one) => `${one.trimEnd()}\n`), section].sort();
  writeFileSync(path, [head, ...all].join("\n"));
  console.log(section);
}

/** What the machine did for others before the measurement: with more than 0.2 times may be those of others. */
const loadBefore = (loadavg()[0] ?? 0).toFixed(2);
