/** Reasons of schedulers that run jobs on other machines; a part of `nodeReasons`. */
export const clusterReasons = {
  CLUSTER_UNREACHABLE: {
    code: "unavailable",
    sentence: "The scheduler of the cluster does not answer.",
    remedy:
      "Look whether slurmrestd and slurmctld, or the head of Ray, run, and whether the address in the node's settings is theirs.",
    retryable: true,
  },
  CLUSTER_ACCESS_DENIED: {
    code: "failed_precondition",
    sentence: "The scheduler of the cluster does not accept the node's user or token.",
    remedy: "Give the node a token that is valid, or the command that makes one.",
    retryable: false,
  },
  CLUSTER_JOB_REFUSED: {
    code: "failed_precondition",
    httpStatus: 422,
    sentence: "The scheduler of the cluster refuses the job.",
    remedy: "Ask for what the cluster has; GET /health shows its machines.",
    retryable: false,
  },
  CLUSTER_NOT_READY: {
    code: "unavailable",
    sentence: "No machine of the cluster can take the job now.",
    remedy: "Try again when one is up; GET /health shows them.",
    retryable: true,
  },
  CLUSTER_INCOMPATIBLE: {
    code: "failed_precondition",
    sentence: "What answers at the address of the cluster is not an API that the node knows.",
    remedy: "Check the address in the node's settings, and the versions that docs/guides names.",
    retryable: false,
  },
  CLUSTER_UNSET: {
    code: "failed_precondition",
    httpStatus: 422,
    sentence: "The node has no such scheduler.",
    remedy: "Use the scheduler local, or set the address of the cluster in the node's settings.",
    retryable: false,
  },
} as const;
