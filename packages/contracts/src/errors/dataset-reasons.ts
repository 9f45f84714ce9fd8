/** Reasons of datasets; a part of `platformReasons`. */
export const datasetReasons = {
  DATASET_NAME_TAKEN: {
    code: "already_exists",
    sentence: "The tenant has a dataset of this name already.",
    remedy: "Choose another name, or delete the other dataset; its name is free then.",
    retryable: false,
  },
  DATASET_FILE_TYPE_UNKNOWN: {
    code: "invalid_argument",
    httpStatus: 422,
    sentence: "The name of the file does not end as that of a dataset does.",
    remedy: "Name it .jsonl, .json or .csv, as what it holds.",
    retryable: false,
  },
  DATASET_FILE_INVALID: {
    code: "invalid_argument",
    httpStatus: 422,
    sentence: "The file cannot be read as rows of training data, and was not kept.",
    remedy: "Mend what `violations` names and upload it again.",
    retryable: false,
  },
  DATASET_EMPTY: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "The dataset has no valid rows for this operation.",
    remedy: "Upload a file first, or mend the rows that its findings name.",
    retryable: false,
  },
  DATASET_EXPORT_INCOMPLETE: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "Some rows cannot be written for this program, and nothing was exported.",
    remedy: "Mend the rows that `violations` counts, or export with `unwritable=skip` to leave them out.",
    retryable: false,
  },
} as const;
