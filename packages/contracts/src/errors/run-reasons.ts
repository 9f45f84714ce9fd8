/** Reasons of runs on a node; a part of `nodeReasons`. */
export const runReasons = {
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
  ENGINE_UNAVAILABLE: {
    code: "unavailable",
    sentence: "The engine cannot be used on this node.",
    remedy: "Look at the engine's reason in GET /health.",
    retryable: false,
  },
} as const;
