import { randomUUID } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Metadata, type ServerUnaryCall } from "@grpc/grpc-js";

/** The id of a call, the caller's own where it is one, sent to the caller before anything else. */
export function identifyCall(call: ServerUnaryCall<unknown, unknown>): string {
  const given = call.metadata.get("x-request-id")[0];
  const id = typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  const metadata = new Metadata();
  metadata.set("x-request-id", id);
  call.sendMetadata(metadata);
  return id;
}

/** Any thrown value as an error of the call; what nobody knows tells the id by which the operator finds it. */
export function toCallError(thrown: unknown, requestId: string): AppError {
  return thrown instanceof AppError ? thrown : new AppError("INTERNAL", { detail: `Its id is ${requestId}.` }, thrown);
}
