import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerInterceptingCallInterface,
} from "@grpc/grpc-js";
import { toStatus } from "./status-error.ts";

// Probes of an orchestrator carry no token, and health tells nothing of documents.
const openService = "/grpc.health.v1.Health/";

/**
 * Refuses calls without the bearer token before their message is read. Comparison takes the same time whatever the token;
 * without a configured token every call passes.
 */
export function createAuthenticator(token: Secret | undefined): ServerInterceptor {
  const expected = token && digest(token.reveal());
  return (method, call) => {
    if (expected === undefined || method.path.startsWith(openService)) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            const refusal = judge(metadata, expected);
            if (refusal === undefined) pass(metadata);
            else refuse(call, refusal);
          },
        }),
    });
  };
}

function judge(metadata: Metadata, expected: Buffer): AppError | undefined {
  const values = metadata.get("authorization");
  const given = values.length === 1 ? /^Bearer +(\S+)$/i.exec(String(values[0]))?.[1] : undefined;
  if (given === undefined) return new AppError("TOKEN_MISSING");
  return timingSafeEqual(digest(given), expected) ? undefined : new AppError("TOKEN_INVALID");
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function refuse(call: ServerInterceptingCallInterface, refusal: AppError): void {
  call.sendStatus(toStatus(refusal));
}
