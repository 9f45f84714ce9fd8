import type { Logger } from "@attune/service-kit/create-logger.ts";
import { createGpuLeases } from "./devices/create-gpu-leases.ts";
import type { DeviceProvider } from "./devices/device-provider.ts";
import type { GpuLeases } from "./devices/gpu-leases.ts";
import type { InferenceSessions } from "./inference/create-inference-sessions.ts";
import { listFamily, runIdVariable } from "./process/end-group.ts";
import { readEnvironment } from "./process/read-processes.ts";
import type { RunStore } from "./runs/run-store.ts";

export interface LeaseParties {
  readonly path: string;
  readonly devices: DeviceProvider;
  readonly store: RunStore;
  /** Undefined while the agent starts, when models may have been left by an earlier one. */
  readonly sessions: () => Pick<InferenceSessions, "isLive" | "status"> | undefined;
  readonly logger: Logger;
}

const prefix = "inference:";

export interface OpenedLeases {
  readonly leases: GpuLeases;
  /** Whose process this is, of a job or a model; undefined when it is none of the node's. */
  readonly holderOf: (pid: number) => string | undefined;
}

/** The rights to GPUs, which know the processes of jobs and of models. */
export async function openLeases({ path, devices, store, sessions, logger }: LeaseParties): Promise<OpenedLeases> {
  const hasModel = (loadId: string): boolean => (sessions()?.status({ load_id: loadId }).length ?? 0) > 0;
  const isModelAlive = (holder: string): boolean => {
    const loadId = holder.slice(prefix.length);
    if (hasModel(loadId)) return sessions()?.isLive(holder) ?? false;
    return listFamily({ runId: loadId, leader: undefined }).length > 0;
  };
  const modelOf = (pid: number): string | undefined => {
    const entry = readEnvironment(pid).find((text) => text.startsWith(`${runIdVariable}=`));
    const loadId = entry?.slice(runIdVariable.length + 1);
    return loadId !== undefined && hasModel(loadId) ? `${prefix}${loadId}` : undefined;
  };
  const isAlive = (holder: string): boolean =>
    holder.startsWith(prefix) ? isModelAlive(holder) : store.isAlive(holder);
  const holderOf = (pid: number): string | undefined => store.holderOf(pid) ?? modelOf(pid);
  const findClaims = async () => store.claims();
  const processes = { isAlive, holderOf };
  return { leases: await createGpuLeases({ path, devices, processes, findClaims, logger }), holderOf };
}
