import type { DeviceProvider } from "./device-provider.ts";
import { steadyNow } from "./steady-now.ts";

/** A machine without GPUs: nothing is wrong, and `note` says why there are none. */
export function createNoDevices(note: string): DeviceProvider {
  return {
    name: "none",
    isSimulated: false,
    start: async () => undefined,
    latest: () => ({ takenAtMs: steadyNow(), gpus: [], driver: null, cuda: null, fault: null, note }),
    close: async () => undefined,
  };
}
