import type { Reason } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { ParseEnd } from "./grpc/parse-handler.ts";

// These say that something is wrong with the service, not with the document or the caller.
const faults: ReadonlySet<Reason | undefined> = new Set<Reason>(["INTERNAL", "PARSER_CRASHED"]);

/**
 * One line for each call, without any text of the document. The address is told without path and query, which may carry a
 * signature, and a data URL not at all.
 */
export function logEnd(logger: Logger, { record, call, outcome, error, durationMs }: ParseEnd): void {
  const reason = error?.reason ?? record.reason;
  const facts = {
    request_id: record.requestId,
    from: call && origin(call.fileUrl),
    file_type: record.fileType,
    engine: record.engine,
    file_bytes: record.fileBytes,
    content_length: outcome?.success === true ? outcome.contentLength : undefined,
    reason,
    duration_ms: Math.round(durationMs),
  };
  if (faults.has(reason)) logger.error({ ...facts, err: error?.cause ?? record.cause }, "a fault of the service");
  else logger.info(facts, reason === undefined ? "parsed" : "not parsed");
}

function origin(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]{1,255}/i.exec(url)?.[0] ?? url.slice(0, 5);
}
