import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type GpuFields, maxGpus, normaliseGpuRequest } from "../devices/normalise-gpu-request.ts";

/** A node of any kind that has enough of everything: what a cluster has, only the cluster knows. */
const anyGpus = Array.from({ length: maxGpus }, (_, index) => ({
  index,
  uuid: `any-${index}`,
  name: "",
  memoryTotalMb: Number.MAX_SAFE_INTEGER,
}));

/**
 * How many GPUs a job of a cluster asks for; nothing given is the CPU.
 * @throws AppError GPU_REQUEST_INVALID when it names GPUs, since the cluster chooses them.
 */
export function clusterGpuRequest(fields: GpuFields): GpuRequest {
  const given = [fields.gpu_indices, fields.gpus, fields.gpu_id].some((value) => value !== undefined && value !== null);
  if (!given) return { mode: "cpu" };
  const request = normaliseGpuRequest(fields, anyGpus);
  if (request.mode === "explicit") {
    throw new AppError("GPU_REQUEST_INVALID", {
      detail: "A cluster chooses the GPUs itself; give their count in gpus.",
    });
  }
  return request;
}
