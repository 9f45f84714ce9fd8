import type { LoadRequest } from "@attune/contracts/compute/inference-api.ts";
import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import type { ModelToLoad } from "../engines/inference-engine.ts";

/** What is to be loaded, for whom, and in which time. */
export interface SessionSpec {
  readonly model: Omit<ModelToLoad, "gpus">;
  /** Undefined: the first engine that can. */
  readonly engine: string | undefined;
  readonly gpuRequest: GpuRequest;
  readonly taskId: string | null;
  readonly nodeId: string | null;
  readonly timeoutMs: number;
}

export function toSessionSpec(request: LoadRequest, gpuRequest: GpuRequest, defaultTimeoutMs: number): SessionSpec {
  return {
    model: {
      modelPath: request.model_path,
      adapterPath: request.adapter_path ?? undefined,
      dtype: request.dtype,
      quantisation: request.quantisation,
      contextLength: request.context_length ?? undefined,
    },
    engine: request.engine ?? undefined,
    gpuRequest,
    taskId: request.task_id ?? null,
    nodeId: request.node_id ?? null,
    timeoutMs:
      request.timeout_seconds === undefined || request.timeout_seconds === null
        ? defaultTimeoutMs
        : request.timeout_seconds * 1000,
  };
}

/** Whether both ask for the same model in the same way; how long they wait makes no difference. */
export const isSameLoad = (a: SessionSpec, b: SessionSpec): boolean => keyOf(a) === keyOf(b);

const keyOf = ({ model, engine, gpuRequest }: SessionSpec): string =>
  JSON.stringify([
    model.modelPath,
    model.adapterPath ?? null,
    model.dtype,
    model.quantisation,
    model.contextLength ?? null,
    engine ?? null,
    gpuRequest,
  ]);
