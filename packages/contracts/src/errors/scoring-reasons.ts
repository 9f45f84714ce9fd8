/** Reasons of scoring an evaluation on a node; a part of `nodeReasons`. */
export const scoringReasons = {
  EVALUATION_UNFINISHED: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "The evaluation has not answered every record, and a part of the answers is not scored.",
    remedy: "Run the evaluation to its end; it goes on after the answers that are there.",
    retryable: false,
  },
  EVALUATION_UNREADABLE: {
    code: "data_loss",
    sentence: "The answers of the evaluation cannot be read.",
    remedy: "Run the evaluation again; look for what changes files in the node's data folder.",
    retryable: false,
  },
  SCORING_FAILED: {
    code: "internal",
    sentence: "The answers of the evaluation could not be scored.",
    remedy: "Score them again; they are kept in the run's folder.",
    retryable: true,
  },
} as const;
