/** Reasons of GPUs and the rights to them; a part of `nodeReasons`. */
export const gpuReasons = {
  GPU_NOT_FOUND: {
    code: "failed_precondition",
    httpStatus: 422,
    sentence: "The node has no such GPUs.",
    remedy: "Ask for GPUs that the node has; GET /compute/gpus lists them.",
    retryable: false,
  },
  GPU_REQUEST_INVALID: {
    code: "invalid_argument",
    httpStatus: 400,
    sentence: "The GPUs are asked for in a way that has no single meaning.",
    remedy: "Give one of gpu_indices, gpus and gpu_id.",
    retryable: false,
  },
  GPU_BUSY: {
    code: "resource_exhausted",
    httpStatus: 409,
    sentence: "The GPUs are taken.",
    remedy: "Wait until they are free, or choose others.",
    retryable: true,
  },
  LEASE_LOST: {
    code: "aborted",
    httpStatus: 409,
    sentence: "The right to these GPUs has passed to somebody else.",
    remedy: "Ask for GPUs again.",
    retryable: false,
  },
  GPU_LEASES_UNSAVED: {
    code: "unavailable",
    sentence: "The node cannot write down who has its GPUs, and so gives none.",
    remedy: "Free space in the node's data folder, and see that the agent may write there.",
    retryable: true,
  },
} as const;
