import { AppError } from "@attune/service-kit/app-error.ts";
import { type ServerInterceptingCallInterface, status as codes } from "@grpc/grpc-js";
import { toStatus } from "./status-error.ts";

export type CallStatus = Parameters<ServerInterceptingCallInterface["sendStatus"]>[0];

/**
 * A status that the library made up, with a reason of the closed list in its place, so that no caller has to read texts that
 * may change with the library. Our own statuses, success and what the library alone knows (a method or a compression that is
 * not there, a health service that is unknown) pass as they are.
 */
export function nameLibraryStatus(status: CallStatus): CallStatus {
  if (status.metadata?.get("grpc-status-details-bin").length) return status;
  const error = errorOf(status.code, status.details);
  return error === undefined ? status : toStatus(error);
}

// Two codes stand for several things, which only the text tells apart.
function errorOf(code: CallStatus["code"], text: string): AppError | undefined {
  if (code === codes.DEADLINE_EXCEEDED) return new AppError("CALL_DEADLINE_EXCEEDED");
  if (code === codes.RESOURCE_EXHAUSTED) {
    return text.startsWith("Sent message") ? new AppError("OUTPUT_TOO_LARGE") : new AppError("REQUEST_TOO_LARGE");
  }
  if (code !== codes.INTERNAL && code !== codes.UNKNOWN) return undefined;
  if (text.startsWith("Failed to decompress")) return malformed("It is not compressed as its header says.");
  if (text.startsWith("Invalid grpc-timeout")) return malformed("Its header grpc-timeout is not a time.");
  if (text.startsWith("Error deserializing request")) return malformed(undefined);
  return new AppError("INTERNAL", {}, new Error(text));
}

function malformed(detail: string | undefined): AppError {
  return new AppError("REQUEST_MALFORMED", detail === undefined ? {} : { detail });
}
