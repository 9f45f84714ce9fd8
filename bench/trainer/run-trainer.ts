/**
 * `npm run bench:trainer [PAIRS] [STEPS]`: time of a step of our trainer beside that of a script that uses TRL alone, with the
 * same model, data, seed and arguments, and writes docs/benchmarks/trainer.md.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { renderTable } from "../report/table.ts";

interface Times {
  /** Milliseconds of a median step, by the clock. */
  readonly wall: number;
  /** Milliseconds of a median step that the process had a CPU. */
  readonly cpu: number;
}
interface Measured {
  readonly steps: number;
  readonly warm_up: number;
  readonly pairs: readonly { readonly bare: Times; readonly ours: Times }[];
}

const root = join(import.meta.dirname, "../..");
const page = join(root, "docs/benchmarks/trainer.md");
const python = join(root, ".work/python-trainer/bin/python");
const [pairs = "5", steps = "200"] = process.argv.slice(2);
const loadBefore = (loadavg()[0] ?? 0).toFixed(1);

const measured = measure();
const report = render(measured);
writeFileSync(page, report);
console.log(readFileSync(page, "utf8"));

function measure(): Measured {
  const env = {
    ...process.env,
    OMP_NUM_THREADS: "1",
    PYTHONPATH: join(root, "python/trainer/src"),
    CUDA_VISIBLE_DEVICES: "",
  };
  const script = join(import.meta.dirname, "overhead.py");
  const { status, stdout, error } = spawnSync(python, [script, pairs, steps], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0)
    throw new Error(`${error?.message ?? "The measurement failed"}; npm run setup:python makes ${python}.`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured;
}

function render(found: Measured): string {
  const row = (label: string, which: keyof Times): string[] => {
    const ratios = found.pairs.map(({ bare, ours }) => ours[which] / bare[which]);
    const of = (kind: "bare" | "ours"): string => median(found.pairs.map((pair) => pair[kind][which])).toFixed(1);
    const spread = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
    return [label, `${of("bare")} ms`, `${of("ours")} ms`, `**${median(ratios).toFixed(3)}**`, spread];
  };
  const table = renderTable(
    ["Median step", "TRL alone", "attune_trainer", "Ratio, median of the pairs", "Ratios of the pairs"],
    [row("time of the CPU", "cpu"), row("time by the clock", "wall")],
  );
  return `# The trainer beside TRL alone

\`npm run bench:trainer [PAIRS] [STEPS]\` fine-tunes a Llama of four small layers with LoRA on the CPU, with one thread: once by a
script that uses TRL alone and once by a run of the trainer, which besides writes an event for every step, listens for a stop and
sends heartbeats. Model, data, seed and arguments are the same, and so are the losses, bit by bit (a test of the trainer). The
two take turns in ${found.pairs.length} pairs of ${found.steps} steps each; the first ${found.warm_up} of each are left out. The goal is a ratio of 1.00 ± 0.02.

${table}

Measured on ${availableParallelism()} cores; load before it ${loadBefore}. With a load above the number of cores the time by the clock is that of what ran beside;
the time of the CPU is what a step takes. The steps are as short as a tiny model makes them, so that any overhead shows.
`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
