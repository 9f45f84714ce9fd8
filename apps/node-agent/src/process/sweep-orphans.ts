import { sep } from "node:path";
import { endGroup, runIdVariable } from "./end-group.ts";
import { findWithVariable, readEnvironment } from "./read-processes.ts";

export interface OrphanRule {
  /** Folder of this agent's runs or sessions, as ATTUNE_RUN_DIR begins; other agents of the machine are left alone. */
  readonly root: string;
  /** Whether the processes of this run id have a right to live. */
  readonly isKnown: (runId: string) => boolean;
}

/** Ends processes of earlier agents of this folder that nothing knows of any more. @returns the run ids that had some. */
export async function sweepOrphans({ root, isKnown }: OrphanRule): Promise<readonly string[]> {
  const found = findWithVariable(runIdVariable).filter(({ pid, value }) => !isKnown(value) && isBelow(pid, root));
  const runIds = [...new Set(found.map(({ value }) => value))];
  await Promise.all(runIds.map((runId) => endGroup({ runId, leader: undefined }, { graceMs: 0 })));
  return runIds;
}

const isBelow = (pid: number, root: string): boolean =>
  readEnvironment(pid).some((entry) => entry.startsWith(`ATTUNE_RUN_DIR=${root}${sep}`));
