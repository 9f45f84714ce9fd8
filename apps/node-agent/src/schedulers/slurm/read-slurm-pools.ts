import type { ClusterPool } from "../scheduler.ts";
import { numberOf } from "./read-slurm-job.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Partitions and what they have, from the machines that Slurm lists. A machine in two partitions counts in both. */
export function readSlurmPools(json: unknown): readonly ClusterPool[] {
  const { nodes } = (json ?? {}) as { nodes?: unknown };
  const list = Array.isArray(nodes)
    ? nodes.filter((node): node is Fields => typeof node === "object" && node !== null)
    : [];
  const names = [...new Set(list.flatMap(partitionsOf))].sort();
  return names.map((name) =>
    toPool(
      name,
      list.filter((node) => partitionsOf(node).includes(name)),
    ),
  );
}

const partitionsOf = ({ partitions }: Fields): readonly string[] =>
  Array.isArray(partitions) ? partitions.filter((name) => typeof name === "string") : [];

function toPool(name: string, nodes: readonly Fields[]): ClusterPool {
  const up = nodes.filter(isUp);
  const gpusTotal = sum(up, (node) => countGpus(node["gres"]));
  const gpusUsed = sum(up, (node) => countGpus(node["gres_used"]));
  return {
    name,
    nodesUp: up.length,
    nodesTotal: nodes.length,
    gpusTotal,
    gpusFree: gpusTotal - gpusUsed,
    cpusTotal: sum(up, (node) => numberOf(node["cpus"]) ?? 0),
    cpusFree: sum(up, (node) => (numberOf(node["cpus"]) ?? 0) - (numberOf(node["alloc_cpus"]) ?? 0)),
  };
}

const sum = (nodes: readonly Fields[], count: (node: Fields) => number): number =>
  nodes.reduce((total, node) => total + count(node), 0);

/** "mixed" and flags beside it until v0.0.39; ["IDLE", "DRAIN"] since. */
function isUp({ state, state_flags: flags }: Fields): boolean {
  const words = [state, flags].flat().map((word) => String(word).toUpperCase());
  const isUsable = words.some((word) => ["IDLE", "MIXED", "ALLOCATED", "PLANNED"].includes(word));
  const isOut = words.some((word) =>
    /^(DOWN|DRAIN|DRAINED|DRAINING|FAIL|FAILING|NOT_RESPONDING|MAINTENANCE|REBOOT)/.test(word),
  );
  return isUsable && !isOut;
}

/** `gpu:2`, `gpu:a100:4(S:0-1),shard:8`, `gpu:a100:1(IDX:0)` */
function countGpus(text: unknown): number {
  const found = (typeof text === "string" ? text : "").matchAll(/(?:^|,)gpu(?::[^:,()]+)*?:(\d+)/g);
  return [...found].reduce((total, [, count]) => total + Number(count), 0);
}
