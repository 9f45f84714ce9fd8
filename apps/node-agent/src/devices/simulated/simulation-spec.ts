/** One simulated GPU. */
export interface SimulatedGpu {
  readonly name: string;
  readonly memoryTotalMb: number;
}

export interface SimulationSpec {
  readonly gpus: readonly SimulatedGpu[];
  /** The same seed gives the same figures at the same time. */
  readonly seed: number;
}

const maxGpus = 64;
const part = /^(\d{1,2})x([A-Za-z0-9][A-Za-z0-9 ._]{0,40}?)-(\d{1,4})GB$/;

/**
 * Reads what is to be simulated: `4xH100-80GB`, several kinds with commas, at the end a seed behind a colon.
 * @returns undefined when it is not of this form, or of no or more than 64 GPUs.
 */
export function parseSimulationSpec(text: string): SimulationSpec | undefined {
  const [, kinds = "", seed = "0"] = /^([^:]+)(?::(\d{1,9}))?$/.exec(text.trim()) ?? [];
  const parts = kinds.split(",").map((kind) => part.exec(kind.trim()));
  const gpus: SimulatedGpu[] = [];
  for (const found of parts) {
    if (found === null) return undefined;
    const [, count, name = "", memoryGb] = found;
    const gpu = { name: `${name}-${memoryGb}GB (simulated)`, memoryTotalMb: Number(memoryGb) * 1024 };
    gpus.push(...Array.from({ length: Number(count) }, () => gpu));
  }
  const isUsable = gpus.length > 0 && gpus.length <= maxGpus && gpus.every(({ memoryTotalMb }) => memoryTotalMb > 0);
  return isUsable ? { gpus, seed: Number(seed) } : undefined;
}
