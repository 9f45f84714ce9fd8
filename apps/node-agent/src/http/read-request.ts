import { AppError } from "@attune/service-kit/app-error.ts";
import { checkCharacters } from "@attune/service-kit/http/check-characters.ts";
import { maxViolations, violationsOf } from "@attune/service-kit/http/violations-of.ts";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import type { NodeRoute } from "./node-route.ts";

export interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Checks every part of a request against its route. @throws AppError REQUEST_INVALID with all faults at once. */
export function readRequest(route: NodeRoute, request: FastifyRequest): RequestParts {
  const params = (route.params ?? nothing).safeParse(request.params ?? {});
  const query = (route.query ?? nothing).safeParse(request.query ?? {});
  const body = (route.body ?? noBody).safeParse(request.body ?? undefined);
  const violations = [
    ...violationsOf("/path", params.error),
    ...violationsOf("/query", query.error),
    ...violationsOf("/body", body.error),
  ];
  if (violations.length > 0) throw new AppError("REQUEST_INVALID", { violations });
  const parts = { params: params.data, query: query.data, body: body.data };
  const unwritable = [
    ...checkCharacters("/path", parts.params),
    ...checkCharacters("/query", parts.query),
    ...checkCharacters("/body", parts.body),
  ];
  if (unwritable.length > 0) throw new AppError("REQUEST_INVALID", { violations: unwritable.slice(0, maxViolations) });
  return parts;
}

const nothing = z.strictObject({});
const noBody = z.undefined({ error: "this operation takes no body" });
