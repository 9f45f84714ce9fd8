import { canonicalCodes } from "@attune/contracts/errors/codes.ts";
import type { AppError } from "@attune/service-kit/app-error.ts";
import { Metadata, type StatusObject } from "@grpc/grpc-js";
import { lengthField, varintField } from "./protobuf-wire.ts";

const domain = "docparser";
const typePrefix = "type.googleapis.com/google.rpc.";

/**
 * An error of the call as a gRPC status. Details follow google.rpc.Status (https://google.aip.dev/193): ErrorInfo with the
 * reason, RetryInfo with the delay where one is known.
 */
export function toStatus(error: AppError): StatusObject {
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", encodeStatus(error));
  return { code: canonicalCodes[error.entry.code], details: error.message, metadata };
}

function encodeStatus(error: AppError): Buffer {
  const { retryAfterMs } = error.details;
  return message(
    varintField(1, canonicalCodes[error.entry.code]),
    lengthField(2, error.message),
    lengthField(3, detail("ErrorInfo", message(lengthField(1, error.reason), lengthField(2, domain)))),
    retryAfterMs === undefined
      ? []
      : lengthField(3, detail("RetryInfo", message(lengthField(1, duration(retryAfterMs))))),
  );
}

function detail(type: string, value: Uint8Array): Buffer {
  return message(lengthField(1, typePrefix + type), lengthField(2, value));
}

// google.protobuf.Duration; a whole message of zeros would vanish, so a delay is at least a millisecond.
function duration(ms: number): Buffer {
  const wholeMs = Math.max(1, Math.ceil(ms));
  return message(varintField(1, Math.floor(wholeMs / 1000)), varintField(2, (wholeMs % 1000) * 1_000_000));
}

function message(...fields: readonly (readonly Uint8Array[])[]): Buffer {
  return Buffer.concat(fields.flat());
}
