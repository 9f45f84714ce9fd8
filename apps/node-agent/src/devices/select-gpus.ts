import { AppError } from "@attune/service-kit/app-error.ts";
import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import { chooseGpus } from "./choose-gpus.ts";
import type { DeviceSample, Gpu } from "./device-provider.ts";
import { findGpus, tellGpus } from "./find-gpus.ts";
import type { UseOfGpu } from "./gpu-uses.ts";

/**
 * @returns the GPUs for a request, or undefined while they cannot be given.
 * @throws AppError GPU_NOT_FOUND when the node has none such.
 */
export function selectGpus(
  request: GpuRequest,
  sample: DeviceSample,
  uses: ReadonlyMap<number, UseOfGpu>,
): readonly number[] | undefined {
  if (request.mode === "cpu") return [];
  const isFree = (index: number): boolean => uses.get(index)?.use === "free";
  const found = request.mode === "explicit" ? findExplicit(request.indices, sample) : findGpus(sample.gpus, request);
  const wanted = request.mode === "explicit" ? new Set(request.indices).size : request.count;
  if (found.length < wanted) {
    // While the GPUs cannot be seen nobody knows that there are none.
    if (sample.fault !== null) return undefined;
    throw new AppError("GPU_NOT_FOUND", { detail: `${tellWish(request)} ${tellGpus(sample.gpus)}` });
  }
  const free = found.filter(({ index }) => isFree(index));
  return chooseGpus(free, wanted);
}

const findExplicit = (indices: readonly number[], { gpus }: DeviceSample): Gpu[] =>
  gpus.filter(({ index }) => indices.includes(index));

function tellWish(request: Exclude<GpuRequest, { mode: "cpu" }>): string {
  if (request.mode === "explicit") return `Asked for: ${request.indices.join(", ")}.`;
  const { count, name, minMemoryMb } = request;
  const named = name === undefined ? "" : ` named ${name}`;
  const sized = minMemoryMb === undefined ? "" : ` with ${minMemoryMb} MB`;
  return `Asked for: ${count}${named}${sized}.`;
}
