/** Reasons of the node's cache and of reading its files; a part of `nodeReasons`. */
export const cacheReasons = {
  NODE_FILE_NOT_READABLE: {
    code: "not_found",
    sentence: "There is no such file that may be read.",
    remedy: "Give a path inside the folder of a job or inside the cache.",
    retryable: false,
  },
} as const;
