import type { Reason } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { ParseEnd } from "./grpc/parse-handler.ts";

// These say that something is wrong with the service, not with the document or the caller.
const faults: ReadonlySet<Reason | undefined> = new Set<Reason>(["INTERNAL", "PARSER_CRASHED"]);

/**
 * One line for each call, without any text of the document. Of the address only scheme and host are told: user, path and
 * query may carry secrets. What a program or server said of a failure may quote the document, so it is told at `debug` only.
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
  const cause = error?.cause ?? record.cause;
  if (faults.has(reason)) logger.error({ ...facts, err: cause }, "a fault of the service");
  else logger.info(facts, reason === undefined ? "parsed" : "not parsed");
  if (cause !== undefined) logger.debug({ request_id: record.requestId, err: cause }, "why it was not parsed");
}

function origin(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed === null ? undefined : `${parsed.protocol}${parsed.host === "" ? "" : `//${parsed.host}`}`;
}
