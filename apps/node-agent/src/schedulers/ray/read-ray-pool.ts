import type { ClusterPool } from "../scheduler.ts";

interface RayNode {
  readonly raylet?: { readonly state?: unknown; readonly resourcesTotal?: Readonly<Record<string, unknown>> };
}

/**
 * The machines of a Ray cluster, from the summary of its dashboard; undefined when it is of another form. What is free is not in it.
 */
export function readRayPool(json: unknown): ClusterPool | undefined {
  const { data } = (json ?? {}) as { data?: { summary?: unknown } };
  const summary = data?.summary;
  if (!Array.isArray(summary)) return undefined;
  const nodes = summary.filter((node): node is RayNode => typeof node === "object" && node !== null);
  const up = nodes.filter(({ raylet }) => raylet?.state === "ALIVE");
  return {
    name: "ray",
    nodesUp: up.length,
    nodesTotal: nodes.length,
    gpusTotal: sum(up, "GPU"),
    gpusFree: null,
    cpusTotal: sum(up, "CPU"),
    cpusFree: null,
  };
}

const sum = (nodes: readonly RayNode[], resource: string): number =>
  nodes.reduce((total, { raylet }) => total + Number(raylet?.resourcesTotal?.[resource] ?? 0), 0);
