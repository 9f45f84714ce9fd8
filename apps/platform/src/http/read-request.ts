import type { RouteContract } from "@attune/contracts/rest/define-route.ts";
import { AppError, type Violation } from "@attune/service-kit/app-error.ts";
import { checkCharacters } from "@attune/service-kit/http/check-characters.ts";
import { maxViolations, violationsOf } from "@attune/service-kit/http/violations-of.ts";
import type { FastifyRequest } from "fastify";
import * as z from "zod";

export interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Checks every part of a request against its contract.
 * @throws AppError REQUEST_INVALID with all faults at once, RECORD_NOT_FOUND where the path holds what cannot be an id.
 */
export function readRequest(contract: RouteContract, request: FastifyRequest): RequestParts {
  const params = (contract.params ?? nothing).safeParse(request.params ?? {});
  if (!params.success) throw new AppError("RECORD_NOT_FOUND");
  const query = (contract.query ?? nothing).safeParse(request.query ?? {});
  const body = contract.body === undefined ? readNoBody(contract, request) : contract.body.safeParse(request.body);
  const violations = [
    ...violationsOf("/query", query.error),
    ...violationsOf("/body", body.error),
    ...checkIdempotencyKey(contract, request),
  ];
  if (!query.success || !body.success || violations.length > 0) throw new AppError("REQUEST_INVALID", { violations });
  const unwritable = [...checkCharacters("/query", query.data), ...checkCharacters("/body", body.data)];
  if (unwritable.length > 0) throw new AppError("REQUEST_INVALID", { violations: unwritable.slice(0, maxViolations) });
  return { params: params.data, query: query.data, body: body.data };
}

const nothing = z.strictObject({});
const noBody = z.undefined({ error: "this operation takes no body" });

function readNoBody(contract: RouteContract, request: FastifyRequest) {
  const isEmpty = contract.upload !== undefined || request.body === null || request.body === undefined;
  return noBody.safeParse(isEmpty ? undefined : request.body);
}

/** A key that is passed over would let its sender believe that the bytes of a repeated upload are taken once. */
function checkIdempotencyKey({ method, upload, isIdempotent }: RouteContract, request: FastifyRequest): Violation[] {
  const isPassedOver = method === "POST" && upload !== undefined && isIdempotent !== true;
  if (!isPassedOver || request.headers["idempotency-key"] === undefined) return [];
  const message = "this operation cannot take one: begin an upload in parts, which can be repeated";
  return [{ pointer: "Idempotency-Key", message }];
}
