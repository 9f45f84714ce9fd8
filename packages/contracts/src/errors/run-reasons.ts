/** Reasons of runs on a node; a part of `nodeReasons`. */
export const runReasons = {
  PATH_NOT_ALLOWED: {
    code: "permission_denied",
    sentence: "A path of the request lies outside of the folders from which this node may read models and data.",
    remedy: "Prepare it in the node's cache, or have its folder added to NODE_AGENT_MODEL_ROOTS.",
    retryable: false,
  },
  RUN_NOT_FOUND: {
    code: "not_found",
    sentence: "The node knows no such job.",
    remedy: "Check its id, and that it ran on this node.",
    retryable: false,
  },
  RUN_ID_TAKEN: {
    code: "already_exists",
    httpStatus: 409,
    sentence: "The node has another job of this id.",
    remedy: "Choose another id; the same request with the same id gives the job that there is.",
    retryable: false,
  },
  RUN_ENDED: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "The job has ended already.",
    remedy: "Look at how it ended.",
    retryable: false,
  },
  RUN_NOT_ENDED: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "The job has not ended.",
    remedy: "Stop it, or wait until it has ended.",
    retryable: true,
  },
  RUN_IN_USE: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "Other jobs or loaded models use what the job made.",
    remedy: "Wait for those jobs, or unload those models, then remove it again.",
    retryable: true,
  },
  RUN_NOT_REMOVED: {
    code: "internal",
    sentence: "The files of the job could not be removed, or not all of them.",
    remedy:
      "Look at the disk of the node's data folder and at the agent's log; what is left is removed when the agent starts.",
    retryable: true,
  },
  MEMORY_LIMIT_UNSUPPORTED: {
    code: "failed_precondition",
    httpStatus: 422,
    sentence: "This node cannot tell how much memory processes hold, and so cannot keep a limit of it.",
    remedy: "Leave memory_limit_mb out, or use a node on Linux.",
    retryable: false,
  },
  RUN_NOT_STORED: {
    code: "unavailable",
    httpStatus: 507,
    sentence: "The node could not write the job to its disk, so that there is none.",
    remedy: "Free space in the node's data folder, then send the request again.",
    retryable: true,
  },
  RUN_ARTIFACT_CHANGED: {
    code: "data_loss",
    httpStatus: 409,
    sentence: "A file that the job made is not as it was written.",
    remedy: "Run the job again; look for what changes files in the node's data folder.",
    retryable: false,
  },
  ENGINE_UNAVAILABLE: {
    code: "unavailable",
    sentence: "The engine that is needed is not available.",
    remedy: "Use another engine, or have the operator set this one up.",
    retryable: false,
  },
} as const;
