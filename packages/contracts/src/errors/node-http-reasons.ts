/** Reasons of the node's HTTP server itself; a part of `nodeReasons`. */
export const nodeHttpReasons = {
  NODE_TOKEN_REQUIRED: {
    code: "unauthenticated",
    sentence: "The node needs its token.",
    remedy: "Send `Authorization: Bearer TOKEN` with the value of NODE_AGENT_TOKEN.",
    retryable: false,
  },
  NODE_ROUTE_NOT_FOUND: {
    code: "not_found",
    sentence: "The node has no operation at this path.",
    remedy: "Look the path and the method up in GET /openapi.json.",
    retryable: false,
  },
  NODE_HOST_REFUSED: {
    code: "permission_denied",
    httpStatus: 421,
    sentence: "A node without a token answers only to its own addresses, so that no page in a browser can reach it.",
    remedy: "Use its IP address or localhost, or give the node a token in NODE_AGENT_TOKEN.",
    retryable: false,
  },
  NODE_ORIGIN_REFUSED: {
    code: "permission_denied",
    sentence: "The node answers no page of another site in a browser.",
    remedy: "Call it from a program, such as the platform.",
    retryable: false,
  },
} as const;
