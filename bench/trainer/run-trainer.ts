/**
 * `npm run bench:trainer [STEPS]`: time of a step of our trainer beside that of a script that uses TRL alone, with the
 * same model, data, seed and arguments, and writes docs/benchmarks/trainer.md.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { renderTable } from "../report/table.ts";

interface Times {
  /** Milliseconds of each step by the clock. */
  readonly wall: readonly number[];
  /** Milliseconds of each step that its thread had a CPU. */
  readonly cpu: readonly number[];
}
interface Half {
  readonly bare: Times;
  readonly ours: Times;
}
interface Measured {
  readonly warm_up: number;
  /** In each the other one has the main thread. */
  readonly halves: readonly Half[];
}

const root = join(import.meta.dirname, "../..");
const page = join(root, "docs/benchmarks/trainer.md");
const python = join(root, ".work/python-trainer/bin/python");
const [steps = "400"] = process.argv.slice(2);
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
  const { status, stdout, error } = spawnSync(python, [script, steps], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0)
    throw new Error(`${error?.message ?? "The measurement failed"}; npm run setup:python makes ${python}.`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured;
}

function render({ halves, warm_up }: Measured): string {
  const count = Math.min(...halves.map(({ ours, bare }) => Math.min(ours.cpu.length, bare.cpu.length)));
  const row = (label: string, which: keyof Times): string[] => {
    const medianOf = (kind: keyof Half): string =>
      quantile(
        halves.flatMap((half) => half[kind][which]),
        0.5,
      ).toFixed(2);
    const ratios = halves.map(({ ours, bare }) =>
      median(
        ours[which].map((ms, step) => ms / (bare[which][step] ?? Number.NaN)),
        count,
      ),
    );
    const middle = Math.sqrt(ratios.reduce((product, ratio) => product * ratio, 1));
    const both = ratios.map((ratio) => ratio.toFixed(3)).join(" · ");
    return [label, `${medianOf("bare")} ms`, `${medianOf("ours")} ms`, `**${middle.toFixed(3)}**`, both];
  };
  const table = renderTable(
    ["Median step", "TRL alone", "attune_trainer", "Ratio", "Ratios of the halves"],
    [row("time of the CPU", "cpu"), row("time by the clock", "wall")],
  );
  return `# The trainer beside TRL alone

\`npm run bench:trainer [STEPS]\` fine-tunes a Llama of four small layers with LoRA on the CPU, with one thread: once by a script
that uses TRL alone and once by a run of the trainer, which besides writes an event for every step, listens for a stop and sends
heartbeats. Model, data, seed and arguments are the same. Both run in one process and take a step each in turn, so that what the
machine does beside hits both alike; a ratio is the median of those of ${count} steps, after ${warm_up} to warm up. As the main thread is not
quite like another one (two scripts of TRL alone differ by 0.02 so), each has it in one half. The goal is a ratio of 1.00 ± 0.02.

${table}

Measured on ${availableParallelism()} cores; load before it ${loadBefore}. With a load above the number of cores the time by the clock is that of what ran beside;
the time of the CPU is what a step takes. The steps are as short as a tiny model makes them, so that any overhead shows. That the
losses are the same, bit by bit, is tested by \`python/trainer/tests/test_exactness.py\`.
`;
}

function median(values: readonly number[], count: number): number {
  return quantile(values.slice(0, count), 0.5);
}

/** Of numbers in any order; `share` is 0.5 for the median. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
