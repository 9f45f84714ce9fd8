import { AppError } from "@attune/service-kit/app-error.ts";
import type { handleUnaryCall, ServerUnaryCall } from "@grpc/grpc-js";
import type { Admission } from "../pipeline/admission.ts";
import type { ParseCall, ParseOutcome } from "../pipeline/parse-call.ts";
import type { ParseDocument } from "../pipeline/parse-document.ts";
import { ParseRecord } from "../pipeline/parse-record.ts";
import { identifyCall, toCallError } from "./identify-call.ts";
import { MalformedRequest } from "./parse-messages.ts";
import { toStatus } from "./status-error.ts";

type Request = ParseCall | MalformedRequest;

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
    const startedAtMs = performance.now();
    const record = new ParseRecord(identifyCall(call));
    const end = (outcome: ParseOutcome | undefined, error: AppError | undefined): void => {
      const request = call.request instanceof MalformedRequest ? undefined : call.request;
      deps.onEnd({ record, call: request, outcome, error, durationMs: performance.now() - startedAtMs });
    };
    answer(deps, call, record).then(
      (outcome) => {
        end(outcome, undefined);
        callback(null, outcome);
      },
      (thrown: unknown) => {
        const error = toCallError(thrown, record.requestId);
        end(undefined, error);
        callback(toStatus(error));
      },
    );
  };
}

async function answer(
  { parseDocument, admission }: ParseHandlerDeps,
  call: ServerUnaryCall<Request, ParseOutcome>,
  record: ParseRecord,
): Promise<ParseOutcome> {
  if (call.request instanceof MalformedRequest) {
    throw new AppError("REQUEST_MALFORMED", { detail: call.request.detail });
  }
  const leave = admission.enter();
  try {
    return await parseDocument(call.request, record, signalOf(call));
  } finally {
    leaveAtEnd(call, leave);
  }
}

// The library tells of the end of every call by this event. Until its answer is sent, a document takes up room.
function leaveAtEnd(call: ServerUnaryCall<Request, ParseOutcome>, leave: () => void): void {
  if (call.cancelled) leave();
  else call.once("cancelled", leave);
}

/** How much earlier than ours a caller's clock may end a call: its time began when the call was sent, ours when it was read. */
const longestWayMs = 1000;

// The library reports a passed deadline and a caller who left by the same event; the clock tells them apart.
function signalOf(call: ServerUnaryCall<Request, ParseOutcome>): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    const deadline = call.getDeadline();
    const isLate = Number(deadline) <= Date.now() + longestWayMs;
    controller.abort(new AppError(isLate ? "CALL_DEADLINE_EXCEEDED" : "CALL_CANCELLED"));
  };
  if (call.cancelled) abort();
  else call.once("cancelled", abort);
  return controller.signal;
}
