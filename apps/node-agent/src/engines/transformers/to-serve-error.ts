import type { NodeReason } from "@attune/contracts/errors/node-reasons.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ServeEvent } from "./serve-event.ts";

/** What the codes of `attune-serve` mean to who loads a model or chats with it. */
const reasonOf: Readonly<Partial<Record<string, NodeReason>>> = {
  bad_spec: "MODEL_UNSUPPORTED",
  file_not_found: "MODEL_PATH_NOT_FOUND",
  model_corrupt: "MODEL_CORRUPT",
  unsupported_architecture: "MODEL_UNSUPPORTED",
  adapter_mismatch: "ADAPTER_MISMATCH",
  chat_template_missing: "CHAT_TEMPLATE_MISSING",
  out_of_memory: "MODEL_OUT_OF_MEMORY",
  host_out_of_memory: "NODE_OUT_OF_MEMORY",
  disk_full: "NODE_OUT_OF_MEMORY",
  gpu_unavailable: "MODEL_GPU_UNUSABLE",
  environment: "ENGINE_UNAVAILABLE",
  bad_request: "CHAT_REJECTED",
  context_length_exceeded: "CHAT_CONTEXT_TOO_LONG",
  busy: "MODEL_QUEUE_FULL",
};

/** An error that `attune-serve` told, with its own words and what it advises. */
export function toServeError({ code, message, hint }: Extract<ServeEvent, { type: "error" }>): AppError {
  const told = hint === undefined || hint === null || hint === "" ? message : `${message} ${hint}`;
  return new AppError(reasonOf[code] ?? "INFERENCE_ENGINE_FAILED", {
    detail: told.slice(0, maxDetail),
    ...(code === "busy" && { retryAfterMs: 1000 }),
  });
}

const maxDetail = 2000;
