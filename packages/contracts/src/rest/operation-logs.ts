import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { idSchema, pageOf, pageQuery, timeSchema } from "./schemas.ts";

export const operationSchema = z
  .strictObject({
    seq: z.int(),
    at: timeSchema,
    user_id: idSchema.nullable(),
    actor: z.string(),
    action: z.string().meta({ description: "`operationId` of the operation" }),
    resource_kind: z.string().nullable(),
    resource_id: z.string().nullable(),
    outcome: z.enum(["succeeded", "refused", "failed"]),
    reason: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).nullable(),
    ip: z.string(),
    request_id: z.string(),
    hash: z.string(),
  })
  .meta({ id: "Operation" });

const filters = pageQuery.extend({
  user_id: idSchema.optional(),
  action: z.string().max(100).optional(),
  resource_kind: z.string().max(100).optional(),
  resource_id: z.string().max(100).optional(),
  outcome: z.enum(["succeeded", "refused", "failed"]).optional(),
});

export const listOperations = defineRoute({
  id: "listOperations",
  method: "GET",
  path: "/operation-logs",
  tag: "operation log",
  summary: "What was done in the tenant, the latest first",
  access: { kind: "tenant", action: "read", resource: "operation_log" },
  query: filters,
  responses: { 200: pageOf(operationSchema) },
});

export const listPlatformOperations = defineRoute({
  id: "listPlatformOperations",
  method: "GET",
  path: "/platform/operation-logs",
  tag: "operation log",
  summary: "What was done outside tenants, the latest first: sign-ins, tenants made",
  access: { kind: "platform", role: "auditor" },
  query: filters,
  responses: { 200: pageOf(operationSchema) },
});
