/** Reasons of background work; a part of `platformReasons`. */
export const jobReasons = {
  JOB_ENDED: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "The job has ended already.",
    remedy: "Look at its items; what failed can be retried.",
    retryable: false,
  },
  JOB_NOT_ENDED: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "The job has not ended.",
    remedy: "Wait for its end or cancel it, then retry what failed.",
    retryable: true,
  },
  JOB_NOTHING_TO_RETRY: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "No item of the job failed for such a reason.",
    remedy: "Look at the reasons of its failed items, or begin a new job.",
    retryable: false,
  },
  JOB_ALREADY_RUNNING: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "Another job is doing the same work now.",
    remedy: "Wait for its end, then try again if something is left to do.",
    retryable: true,
  },
  JOB_ITEM_INTERRUPTED: {
    code: "unavailable",
    sentence: "The platform ended again and again while it worked on this item.",
    remedy: "Retry the item; if the platform ends again, give the operator the id of the job.",
    retryable: true,
  },
  JOB_INPUT_UNREADABLE: {
    code: "internal",
    sentence: "The platform cannot read what the job was asked to do; another version of it wrote that.",
    remedy: "Begin a new job.",
    retryable: false,
  },
} as const;
