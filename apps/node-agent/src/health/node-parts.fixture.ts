import type { DeviceProvider } from "../devices/device-provider.ts";
import { createFakeDevices, type FakeDevices } from "../devices/devices.fixture.ts";
import type { GpuLeases, GpuUse } from "../devices/gpu-leases.ts";

/** GPUs whose figures a test sets. */
export function makeDevices(count: number): { readonly devices: DeviceProvider; readonly figures: FakeDevices } {
  const figures = createFakeDevices(count);
  const devices: DeviceProvider = {
    name: "fake",
    isSimulated: true,
    start: async () => undefined,
    latest: () => figures.latest(),
    close: async () => undefined,
  };
  return { devices, figures };
}

/** Leases of nobody, with these uses of the GPUs. */
export const makeLeases = (uses: readonly GpuUse[] = []): Pick<GpuLeases, "uses" | "list"> => ({
  list: () => [],
  uses: () => new Map(uses.map((use, index) => [index, { use, holder: null }])),
});
