import { randomUUID } from "node:crypto";
import { AppError, toAppError } from "@attune/service-kit/app-error.ts";
import { type handleUnaryCall, Metadata, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import type { Admission } from "../pipeline/admission.ts";
import type { ParseCall, ParseOutcome } from "../pipeline/parse-call.ts";
import type { ParseDocument } from "../pipeline/parse-document.ts";
import { ParseRecord } from "../pipeline/parse-record.ts";
import { malformedRequest } from "./parse-messages.ts";
import { toStatus } from "./status-error.ts";

type Request = ParseCall | typeof malformedRequest;

export interface ParseHandlerDeps {
  readonly parseDocument: ParseDocument;
  readonly admission: Admission;
  /** Hears of every call that ended: one line of log, a few metrics. */
  readonly onEnd: (end: ParseEnd) => void;
}

export interface ParseEnd {
  readonly record: ParseRecord;
  readonly call: ParseCall | undefined;
  /** Undefined when the call itself failed. */
  readonly outcome: ParseOutcome | undefined;
  readonly error: AppError | undefined;
  readonly durationMs: number;
}

/** ParseDocument over gRPC: admission, cancellation and deadline around the way of a document. */
export function createParseHandler(deps: ParseHandlerDeps): handleUnaryCall<Request, ParseOutcome> {
  return (call, callback) => {
    const record = new ParseRecord(requestId(call.metadata));
    const startedAtMs = performance.now();
    const metadata = new Metadata();
    metadata.set("x-request-id", record.requestId);
    call.sendMetadata(metadata);
    const end = (outcome: ParseOutcome | undefined, error: AppError | undefined): void => {
      const request = call.request === malformedRequest ? undefined : call.request;
      deps.onEnd({ record, call: request, outcome, error, durationMs: performance.now() - startedAtMs });
    };
    answer(deps, call, record).then(
      (outcome) => {
        end(outcome, undefined);
        callback(null, outcome);
      },
      (error: unknown) => {
        const known = toAppError(error);
        end(undefined, known);
        fail(callback, known);
      },
    );
  };
}

async function answer(
  { parseDocument, admission }: ParseHandlerDeps,
  call: ServerUnaryCall<Request, ParseOutcome>,
  record: ParseRecord,
): Promise<ParseOutcome> {
  if (call.request === malformedRequest) throw new AppError("REQUEST_MALFORMED");
  const leave = admission.enter();
  try {
    return await parseDocument(call.request, record, signalOf(call));
  } finally {
    leave();
  }
}

// The library reports a passed deadline and a caller who left by the same event; the clock tells them apart.
function signalOf(call: ServerUnaryCall<Request, ParseOutcome>): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    const deadline = call.getDeadline();
    const isLate = Number(deadline) <= Date.now();
    controller.abort(new AppError(isLate ? "CALL_DEADLINE_EXCEEDED" : "CALL_CANCELLED"));
  };
  if (call.cancelled) abort();
  else call.once("cancelled", abort);
  return controller.signal;
}

function requestId(metadata: Metadata): string {
  const given = metadata.get("x-request-id")[0];
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

function fail(callback: sendUnaryData<ParseOutcome>, error: AppError): void {
  callback(toStatus(error));
}
