/** Reasons of models in memory and chats with them; a part of `nodeReasons`. */
export const inferenceReasons = {
  MODEL_NOT_LOADED: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "The model is not loaded on this node.",
    remedy: "Load it, wait until GET /inference/status says ready, and try again.",
    retryable: true,
  },
} as const;
