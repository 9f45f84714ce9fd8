/** Reasons of what the platform keeps in its object store; a part of `platformReasons`. */
export const storageReasons = {
  STORAGE_KEY_INVALID: {
    code: "invalid_argument",
    sentence: "This is not a name that an object can have in the store.",
    remedy: "Give segments of Unicode text between single slashes, each of at most 80 bytes, 900 bytes in all.",
    retryable: false,
  },
  STORAGE_OBJECT_NOT_FOUND: {
    code: "not_found",
    sentence: "The object store holds no such object.",
    remedy: "Have the operator run `attune doctor storage`, which names every record whose content is missing.",
    retryable: false,
  },
  STORAGE_OBJECT_DAMAGED: {
    code: "data_loss",
    sentence: "The stored content is not what was written.",
    remedy: "Have the operator run `attune doctor storage` and bring the object back from a backup.",
    retryable: false,
  },
  STORAGE_OBJECT_UNKNOWN: {
    code: "failed_precondition",
    sentence: "The object store holds what no record knows.",
    remedy:
      "A database that is older than the store has such objects; bring its newer backup back, or delete them by hand.",
    retryable: false,
  },
  STORAGE_RANGE_INVALID: {
    code: "out_of_range",
    sentence: "The range begins behind the end of the content.",
    remedy: "Ask for bytes that lie within its size.",
    retryable: false,
  },
  STORAGE_CHECKSUM_MISMATCH: {
    code: "invalid_argument",
    httpStatus: 422,
    sentence: "The bytes that came are not those that were announced, and were not stored.",
    remedy: "Send the whole file again, with its own size and SHA-256.",
    retryable: true,
  },
  STORAGE_UPLOAD_NOT_FOUND: {
    code: "not_found",
    sentence: "There is no such unfinished upload.",
    remedy: "Begin the upload anew; one that nobody continued is removed after a while.",
    retryable: false,
  },
  STORAGE_UPLOAD_INVALID: {
    code: "failed_precondition",
    sentence: "The parts of the upload do not make a whole.",
    remedy: "Send parts numbered from 1 without a gap, of 5 to 64 MiB each; only the last may be smaller.",
    retryable: false,
  },
  STORAGE_LINK_INVALID: {
    code: "permission_denied",
    sentence: "The link has expired or was not made by this platform.",
    remedy: "Ask for a new link.",
    retryable: false,
  },
  STORAGE_FULL: {
    code: "resource_exhausted",
    httpStatus: 507,
    sentence: "The object store has no room left, and nothing was stored.",
    remedy: "Have the operator make room or raise the quota, then try again.",
    retryable: true,
  },
  STORAGE_DENIED: {
    code: "unavailable",
    sentence: "The object store does not let the platform in.",
    remedy: "Have the operator check the credentials and rights of the platform at the store.",
    retryable: false,
  },
  STORAGE_UNAVAILABLE: {
    code: "unavailable",
    sentence: "The object store does not answer as it should.",
    remedy: "Try again; if it lasts, have the operator look at the storage page of the system's health.",
    retryable: true,
  },
} as const;
