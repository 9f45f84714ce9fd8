import type { Gpu } from "./device-provider.ts";

/** What is asked of each GPU of a request by count. */
export interface GpuWish {
  /** Memory that the GPU has in all; one whose memory is unknown does not do. */
  readonly minMemoryMb?: number;
  /** Part of its name, in any case. */
  readonly name?: string;
}

export type KnownGpu = Pick<Gpu, "index" | "uuid" | "name" | "memoryTotalMb">;

/** The GPUs that do for a request, whether they are free or not. */
export function findGpus<TGpu extends KnownGpu>(gpus: readonly TGpu[], { minMemoryMb, name }: GpuWish): TGpu[] {
  const isLargeEnough = ({ memoryTotalMb }: TGpu): boolean =>
    minMemoryMb === undefined || (memoryTotalMb !== null && memoryTotalMb >= minMemoryMb);
  const isNamed = (gpu: TGpu): boolean => name === undefined || gpu.name.toLowerCase().includes(name.toLowerCase());
  return gpus.filter((gpu) => isLargeEnough(gpu) && isNamed(gpu));
}

/** What the node has, for the detail of a refusal. */
export function tellGpus(gpus: readonly KnownGpu[]): string {
  if (gpus.length === 0) return "The node has no GPUs.";
  return `The node has ${gpus.map(({ index, name }) => `${index} (${name})`).join(", ")}.`;
}
