import type { CanonicalCode } from "./codes.ts";

/** What a caller may learn about one kind of failure. */
export interface ReasonEntry {
  readonly code: CanonicalCode;
  /** `document`: told in `ParseResponse.message`. `call`: told as the status of the gRPC call. */
  readonly scope: "document" | "call";
  /** What happened, one sentence. */
  readonly sentence: string;
  /** What the caller or the operator can do about it, one sentence. */
  readonly remedy: string;
  /** Whether the same request may succeed later without any change. */
  readonly retryable: boolean;
}

/** The closed list of reasons of the parser service. Every failure carries exactly one of them. */
export const parserReasons = {
  FILE_URL_INVALID: {
    code: "invalid_argument",
    scope: "document",
    sentence: "file_url is missing or not a URL this service reads.",
    remedy: "Give an http, https, s3, file or data URL.",
    retryable: false,
  },
  FILE_NOT_FOUND: {
    code: "not_found",
    scope: "document",
    sentence: "The file does not exist at its address.",
    remedy: "Check the address, and that it is still valid.",
    retryable: false,
  },
  FETCH_REFUSED: {
    code: "permission_denied",
    scope: "document",
    sentence: "The address is not one this service may read.",
    remedy: "Use a public address, or have the operator allow this host, bucket or folder.",
    retryable: false,
  },
  FETCH_DENIED: {
    code: "permission_denied",
    scope: "document",
    sentence: "The server that holds the file denied access to it.",
    remedy: "Use an address that carries the right to read, such as a presigned link that has not expired.",
    retryable: false,
  },
  FETCH_FAILED: {
    code: "unavailable",
    scope: "document",
    sentence: "The file could not be fetched.",
    remedy: "Try again; if it fails again, check the server that holds the file.",
    retryable: true,
  },
  FETCH_TIMEOUT: {
    code: "deadline_exceeded",
    scope: "document",
    sentence: "Fetching the file took too long or was too slow.",
    remedy: "Try again, or put the file on a faster server.",
    retryable: true,
  },
  FILE_TOO_LARGE: {
    code: "resource_exhausted",
    scope: "document",
    sentence: "The file is larger than this service accepts.",
    remedy: "Split the file, or have the operator raise PARSER_MAX_FILE_MIB.",
    retryable: false,
  },
  FILE_EMPTY: {
    code: "failed_precondition",
    scope: "document",
    sentence: "The file has no bytes.",
    remedy: "Upload the file again.",
    retryable: false,
  },
  UNSUPPORTED_FILE_TYPE: {
    code: "invalid_argument",
    scope: "document",
    sentence: "No engine of this service reads this type of file.",
    remedy: "Convert it to one of the types that GetSupportedFormats lists.",
    retryable: false,
  },
  PASSWORD_REQUIRED: {
    code: "failed_precondition",
    scope: "document",
    sentence: "The document is protected by a password.",
    remedy: "Give it in the override `password`, or remove the protection.",
    retryable: false,
  },
  PASSWORD_WRONG: {
    code: "failed_precondition",
    scope: "document",
    sentence: "The password given does not open the document.",
    remedy: "Correct the override `password`.",
    retryable: false,
  },
  ENCRYPTION_UNSUPPORTED: {
    code: "failed_precondition",
    scope: "document",
    sentence: "The document is encrypted in a way this service cannot open.",
    remedy: "Save it without protection and send it again.",
    retryable: false,
  },
  DOCUMENT_CORRUPT: {
    code: "invalid_argument",
    scope: "document",
    sentence: "The file is damaged or not what it claims to be.",
    remedy: "Open it in the program that made it and save it again.",
    retryable: false,
  },
  TEXT_NOT_FOUND: {
    code: "failed_precondition",
    scope: "document",
    sentence: "The document has pages or pictures, but no text that could be read.",
    remedy: "If it is a scan, check the overrides `ocr` and `ocr_languages`, or use an engine with models.",
    retryable: false,
  },
  OCR_UNAVAILABLE: {
    code: "failed_precondition",
    scope: "document",
    sentence: "The document is a picture of text, and this service cannot read its languages.",
    remedy: "Correct the override `ocr_languages`, or have the operator install the data of Tesseract that is named.",
    retryable: false,
  },
  PAGES_INVALID: {
    code: "out_of_range",
    scope: "document",
    sentence: "The pages asked for are not in the document.",
    remedy: "Correct the override `pages`.",
    retryable: false,
  },
  ENGINE_UNKNOWN: {
    code: "invalid_argument",
    scope: "document",
    sentence: "There is no parser engine of this name.",
    remedy: "Use one of the names that GetEngines lists, or leave parser_engine empty.",
    retryable: false,
  },
  ENGINE_UNSUITABLE: {
    code: "invalid_argument",
    scope: "document",
    sentence: "The parser engine asked for does not read this type of file.",
    remedy: "Leave parser_engine empty, or use an engine that lists this type.",
    retryable: false,
  },
  ENGINE_UNAVAILABLE: {
    code: "failed_precondition",
    scope: "document",
    sentence: "The engine that is needed is not available.",
    remedy: "Use another engine, or have the operator set this one up.",
    retryable: true,
  },
  ENGINE_FAILED: {
    code: "internal",
    scope: "document",
    sentence: "The parser engine could not read the document.",
    remedy: "Try another engine.",
    retryable: true,
  },
  OVERRIDE_UNKNOWN: {
    code: "invalid_argument",
    scope: "document",
    sentence: "engine_overrides has a key this service does not know.",
    remedy: "Correct or remove the key.",
    retryable: false,
  },
  OVERRIDE_INVALID: {
    code: "invalid_argument",
    scope: "document",
    sentence: "engine_overrides has a value that is not allowed.",
    remedy: "Correct the value.",
    retryable: false,
  },
  PARSE_TIMEOUT: {
    code: "deadline_exceeded",
    scope: "document",
    sentence: "Parsing took longer than allowed, and nothing was read.",
    remedy: "Raise the override `timeout_ms`, or parse fewer pages.",
    retryable: false,
  },
  MEMORY_EXCEEDED: {
    code: "resource_exhausted",
    scope: "document",
    sentence: "Parsing needed more memory than one document may use.",
    remedy: "Split the document, or have the operator raise PARSER_WORKER_MEMORY_MIB.",
    retryable: false,
  },
  PARSER_CRASHED: {
    code: "internal",
    scope: "document",
    sentence: "The process that parsed this document ended unexpectedly.",
    remedy: "Try another engine, and report the document to the operator.",
    retryable: true,
  },
  LIMIT_EXCEEDED: {
    code: "resource_exhausted",
    scope: "document",
    sentence: "The document exceeds a limit that protects this service.",
    remedy: "Split or simplify the document, or have the operator raise the limit named.",
    retryable: false,
  },
  MARKUP_REFUSED: {
    code: "invalid_argument",
    scope: "document",
    sentence: "The document uses markup that this service refuses for safety.",
    remedy: "Remove document type declarations and entities, or save the document again in a current program.",
    retryable: false,
  },
  OUTPUT_TOO_LARGE: {
    code: "resource_exhausted",
    scope: "document",
    sentence: "The text of the document is longer than one answer may be.",
    remedy: "Ask for fewer pages with the override `pages`, or split the document.",
    retryable: false,
  },
  STORAGE_FULL: {
    code: "resource_exhausted",
    scope: "document",
    sentence: "This service has no room left to hold the file while parsing it.",
    remedy: "Try again later, or have the operator free space in PARSER_WORK_DIR.",
    retryable: true,
  },
  INTERNAL: {
    code: "internal",
    scope: "document",
    sentence: "The service failed in a way it does not know.",
    remedy: "Report the request id to the operator.",
    retryable: true,
  },
  REQUEST_MALFORMED: {
    code: "invalid_argument",
    scope: "call",
    sentence: "The request message is not well formed.",
    remedy: "Encode it with the published proto, with text in UTF-8.",
    retryable: false,
  },
  REQUEST_TOO_LARGE: {
    code: "resource_exhausted",
    scope: "call",
    sentence: "The request message is larger than this service accepts.",
    remedy: "Give the address of the file instead of a `data:` URL, or have the operator raise PARSER_MAX_REQUEST_MIB.",
    retryable: false,
  },
  TOKEN_MISSING: {
    code: "unauthenticated",
    scope: "call",
    sentence: "The call carries no bearer token.",
    remedy: "Send the metadata `authorization: Bearer TOKEN`.",
    retryable: false,
  },
  TOKEN_INVALID: {
    code: "unauthenticated",
    scope: "call",
    sentence: "The bearer token is not the one this service accepts.",
    remedy: "Ask the operator for the current token.",
    retryable: false,
  },
  QUEUE_FULL: {
    code: "resource_exhausted",
    scope: "call",
    sentence: "The service has as many documents waiting as it accepts.",
    remedy: "Try again after the delay given.",
    retryable: true,
  },
  CALL_DEADLINE_EXCEEDED: {
    code: "deadline_exceeded",
    scope: "call",
    sentence: "The deadline of the call passed before the document was read.",
    remedy: "Call again with a later deadline.",
    retryable: true,
  },
  CALL_CANCELLED: {
    code: "cancelled",
    scope: "call",
    sentence: "The caller cancelled the call.",
    remedy: "Nothing needs to be done.",
    retryable: false,
  },
  SHUTTING_DOWN: {
    code: "unavailable",
    scope: "call",
    sentence: "The service is shutting down and takes no new documents.",
    remedy: "Try again; another instance or the restarted one will answer.",
    retryable: true,
  },
} as const satisfies Record<string, ReasonEntry>;

export type ParserReason = keyof typeof parserReasons;
