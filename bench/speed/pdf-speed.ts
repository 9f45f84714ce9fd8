import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { labelOf, type Peer } from "../peers/peer.ts";
import { drawBarChart } from "../report/bar-chart.ts";
import { renderTable } from "../report/table.ts";
import { measureFiles, median, type Passes } from "./measure-files.ts";
import { countPages } from "./pdf-pages.ts";

/** Readers that take many seconds for an article read every sixth file, once. */
const slow = new Set(["markitdown", "pymupdf4llm", "opendataloader"]);
const sampleStep = 6;

export interface SpeedRow {
  readonly name: string;
  readonly fileCount: number;
  readonly roundCount: number;
  readonly coldPagesPerSecond: number;
  readonly warmPagesPerSecond: number | undefined;
  readonly peakMib: number;
  readonly failures: readonly string[];
}

/** Pages of a set of files by the second of CPU, in rounds in which each reader has its turn; medians. */
export async function measureSet(
  peers: readonly Peer[],
  paths: readonly string[],
  rounds: number,
): Promise<SpeedRow[]> {
  const taken = new Map<Peer, Passes[]>(peers.map((peer) => [peer, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of peers) {
      if (round > 0 && slow.has(peer.id)) continue;
      taken.get(peer)!.push(await measureTurn(peer, filesFor(peer, paths)));
    }
  }
  return peers.map((peer) => toRow(peer, filesFor(peer, paths), taken.get(peer)!));
}

function filesFor({ id }: Peer, paths: readonly string[]): readonly string[] {
  return slow.has(id) ? paths.filter((_, index) => index % sampleStep === 0) : paths;
}

async function measureTurn(peer: Peer, paths: readonly string[]): Promise<Passes> {
  const staysForFiles = peer.command[2] !== "command" && !slow.has(peer.id);
  if (peer.batch === undefined) return measureFiles(peer, paths, staysForFiles);
  const folder = mkdtempSync(join(tmpdir(), "batch-"));
  for (const path of paths) copyFileSync(path, join(folder, basename(path)));
  const [python, worker] = ["python3", join(import.meta.dirname, "../peers/worker.py")];
  const batch = peer.batch.map((part) => part.replace("{out}", folder));
  const passes = await measureFiles({ ...peer, command: [python, worker, "command", ...batch] }, [folder], false);
  rmSync(folder, { recursive: true });
  return passes;
}

function toRow(peer: Peer, paths: readonly string[], passes: readonly Passes[]): SpeedRow {
  const pageCount = paths.reduce((sum, path) => sum + countPages(path), 0);
  const perSecond = (cpuMs: number): number => (pageCount * 1000) / cpuMs;
  const warm = passes.flatMap(({ warmMs }) => warmMs ?? []);
  return {
    name: labelOf(peer),
    fileCount: paths.length,
    roundCount: passes.length,
    coldPagesPerSecond: perSecond(median(passes.map(({ coldMs }) => coldMs))),
    warmPagesPerSecond: warm.length === 0 ? undefined : perSecond(median(warm)),
    peakMib: median(passes.map(({ peakMib }) => peakMib)),
    failures: [...new Set(passes.flatMap(({ failures }) => failures))].map((line) => basename(line)),
  };
}

/** The first row is ours. */
export function renderSpeed(rows: readonly SpeedRow[]): string {
  const best = (row: SpeedRow): number => row.warmPagesPerSecond ?? row.coldPagesPerSecond;
  const cells = rows.map((row) => [
    row.name,
    `${row.fileCount} × ${row.roundCount}`,
    row.coldPagesPerSecond.toFixed(0),
    row.warmPagesPerSecond?.toFixed(0) ?? "–",
    (best(rows[0]!) / best(row)).toFixed(2),
    row.peakMib.toFixed(0),
    row.failures.length === 0 ? "" : String(row.failures.length),
  ]);
  const head = ["", "files × rounds", "cold", "warm", "ours, times as many", "peak MiB", "failed"];
  return renderTable(head, cells);
}

export function chartSpeed(title: string, rows: readonly SpeedRow[]): string {
  const groups = rows.map(({ name, coldPagesPerSecond, warmPagesPerSecond }) => {
    return { label: name, values: [coldPagesPerSecond, warmPagesPerSecond] };
  });
  const max = Math.max(...groups.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return drawBarChart({ title, series: ["cold", "warm"], groups, max, digits: 0 });
}

export function chartMemory(title: string, rows: readonly SpeedRow[], limitMib: number): string {
  const groups = rows.map(({ name, peakMib }) => ({ label: name, values: [peakMib] }));
  const max = Math.max(limitMib, ...rows.map(({ peakMib }) => peakMib));
  const target = { value: limitMib, label: `${limitMib} MiB` };
  return drawBarChart({ title, series: ["peak MiB"], groups, max, digits: 0, target });
}
