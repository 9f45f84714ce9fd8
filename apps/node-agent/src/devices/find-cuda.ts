import type { DeviceProvider } from "./device-provider.ts";

/** What real GPUs of this node offer to programs. */
export interface NodeCuda {
  /** The newest CUDA that the driver can run, such as "13.0"; null when it does not tell. */
  readonly version: string | null;
}

/** Undefined where programs find no GPU here: there is none, none can be used now, or they are simulated. */
export function findCuda({
  isSimulated,
  latest,
}: Pick<DeviceProvider, "isSimulated" | "latest">): NodeCuda | undefined {
  if (isSimulated) return undefined;
  const { gpus, cuda, fault } = latest();
  return fault === null && gpus.some((gpu) => gpu.fault === null) ? { version: cuda } : undefined;
}
