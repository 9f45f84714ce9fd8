import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createGpuLeases } from "./create-gpu-leases.ts";
import { createFakeDevices, type FakeDevices } from "./devices.fixture.ts";
import type { GpuLeases, GpuUse } from "./gpu-leases.ts";
import type { GpuClaim } from "./rebuild-leases.ts";

/** A node with four GPUs whose agent can be started again and again, and whose processes and time a test sets. */
export interface LeaseNode {
  readonly folder: string;
  path: string;
  nowMs: number;
  readonly devices: FakeDevices;
  readonly alive: Set<string>;
  readonly owners: Map<number, string>;
  claims: readonly GpuClaim[];
  readonly log: string[];
  open(): Promise<GpuLeases>;
  close(): Promise<void>;
}

export async function createLeaseNode(): Promise<LeaseNode> {
  const folder = await mkdtemp(join(tmpdir(), "attune-leases-"));
  const opened: GpuLeases[] = [];
  const node: LeaseNode = {
    folder,
    path: join(folder, "leases.json"),
    nowMs: 1_000_000,
    devices: createFakeDevices(4),
    alive: new Set(),
    owners: new Map(),
    claims: [],
    log: [],
    async open() {
      const leases = await createGpuLeases({
        path: node.path,
        devices: node.devices,
        processes: {
          isAlive: (holder) => node.alive.has(holder),
          holderOf: (pid) => node.owners.get(pid),
        },
        findClaims: () => Promise.resolve(node.claims),
        logger: createLogger("test", "debug", { write: (line: string) => void node.log.push(line) }),
        now: () => node.nowMs,
        sweepMs: 1_000_000,
      });
      opened.push(leases);
      return leases;
    },
    async close() {
      await Promise.all(opened.splice(0).map((leases) => leases.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return node;
}

export const usesOf = (leases: GpuLeases): GpuUse[] => [...leases.uses().values()].map(({ use }) => use);
export const explicit = (...indices: number[]) => ({ mode: "explicit", indices }) as const;
export const anyOf = (count: number) => ({ mode: "count", count }) as const;
