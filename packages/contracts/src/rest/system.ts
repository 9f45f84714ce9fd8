import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { healthReasonNames } from "./health-reasons.ts";
import { idSchema, sizeSchema, timeSchema } from "./schemas.ts";

/** From well to worst; a part that is not set up is neither. */
export const healthStates = ["not_configured", "ok", "degraded", "failing"] as const;
export type HealthState = (typeof healthStates)[number];

export const healthParts = ["database", "object_store", "parser", "clock", "sweepers"] as const;
export type HealthPart = (typeof healthParts)[number];

const state = z.enum(healthStates);
const count = z.int().nonnegative();
const milliseconds = z.int().nonnegative().meta({ description: "Milliseconds" });

const told = {
  reason: z.enum(healthReasonNames),
  state: z.enum(["degraded", "failing"]),
  sentence: z.string(),
  remedy: z.string(),
};
const findingSchema = z
  .strictObject({ ...told, detail: z.string().nullable().meta({ description: "What this case is about" }) })
  .meta({ id: "HealthFinding" });

const partOf = <TPart extends HealthPart, TFacts extends z.ZodRawShape>(part: TPart, facts: TFacts) =>
  z.strictObject({
    part: z.literal(part),
    state,
    findings: z.array(findingSchema),
    checked_at: timeSchema.meta({ description: "When the check of this part began" }),
    duration_ms: milliseconds,
    facts: z.strictObject(facts).nullable().meta({ description: "Null where nothing could be found out" }),
  });

const sweepSchema = z.strictObject({
  name: z.string(),
  every_seconds: z.int().positive(),
  started_at: timeSchema.nullable().meta({ description: "Of the latest run; null before the first one" }),
  ended_at: timeSchema.nullable().meta({ description: "Of the latest run that ended" }),
  is_last_well: z.boolean().nullable().meta({ description: "Whether the latest run that ended did all it should" }),
});

const partSchema = z
  .discriminatedUnion("part", [
    partOf("database", {
      server_version: z.string(),
      latency_ms: milliseconds,
      size_bytes: sizeSchema,
      migrations_known: count,
      migrations_applied: count,
      connections_in_use: count,
      connections_idle: count,
      connections_max: count,
      requests_waiting: count.meta({ description: "Requests that wait for a connection" }),
    }),
    partOf("object_store", {
      store: z.string(),
      latency_ms: milliseconds.meta({ description: "To write, read and remove a small object" }),
      free_bytes: sizeSchema.nullable().meta({ description: "Null where the store does not tell" }),
      objects_looked_for: count.meta({ description: "Of the latest objects, how many were looked for in the store" }),
      verified_at: timeSchema.nullable().meta({ description: "End of the last verification; null: there was none" }),
    }),
    partOf("parser", { url: z.string(), latency_ms: milliseconds }),
    partOf("clock", {
      skew_ms: z.int().meta({ description: "By how much the clock of this node is ahead of the database's" }),
      uncertainty_ms: milliseconds,
    }),
    partOf("sweepers", { sweeps: z.array(sweepSchema) }),
  ])
  .meta({ id: "HealthPart" });
export type HealthPartReport = z.infer<typeof partSchema>;

const shared = {
  state: state.meta({ description: "That of the worst part" }),
  version: z.string(),
  started_at: timeSchema.meta({ description: "When this node started" }),
  checked_at: timeSchema,
};

export const systemHealthSchema = z
  .strictObject({ ...shared, node: z.string().meta({ description: "Host that answered" }), parts: z.array(partSchema) })
  .meta({ id: "SystemHealth" });
export type SystemHealth = z.infer<typeof systemHealthSchema>;

export const getSystemHealth = defineRoute({
  id: "getSystemHealth",
  method: "GET",
  path: "/system/health",
  tag: "system",
  summary: "Checks of all that the platform stands on, by the node that answers, made now; answers within ten seconds",
  access: { kind: "platform", role: "operator" },
  responses: { 200: systemHealthSchema },
});

export const systemStatusSchema = z
  .strictObject({
    ...shared,
    parts: z.array(
      z.strictObject({
        part: z.enum(healthParts),
        state,
        findings: z.array(z.strictObject(told)),
        checked_at: timeSchema,
      }),
    ),
  })
  .meta({ id: "SystemStatus" });
export type SystemStatus = z.infer<typeof systemStatusSchema>;

export const getSystemStatus = defineRoute({
  id: "getSystemStatus",
  method: "GET",
  path: "/system/status",
  tag: "system",
  summary: "The same checks for administrators of a tenant: states and remedies, without addresses and figures",
  access: { kind: "tenant", action: "read", resource: "storage" },
  responses: { 200: systemStatusSchema },
});

const usage = { count, size_bytes: sizeSchema };
const kindUsageSchema = z.strictObject({
  owner_kind: z.string().meta({ description: "Kind of the records that the files belong to" }),
  place: z.enum(["database", "store"]),
  ...usage,
});

export const tenantStorageSchema = z
  .strictObject({ ...usage, by_kind: z.array(kindUsageSchema) })
  .meta({ id: "TenantStorage" });
export type TenantStorage = z.infer<typeof tenantStorageSchema>;

export const getTenantStorage = defineRoute({
  id: "getTenantStorage",
  method: "GET",
  path: "/storage",
  tag: "system",
  summary: "How much the tenant keeps, by kind of record",
  access: { kind: "tenant", action: "read", resource: "storage" },
  responses: { 200: tenantStorageSchema },
});

const verificationSchema = z.strictObject({
  started_at: timeSchema,
  ended_at: timeSchema.nullable().meta({ description: "Null: it is under way, or its process is gone" }),
  failure: z.string().nullable().meta({ description: "Why it could not be brought to its end" }),
  object_count: count.nullable(),
  inline_count: count.nullable().meta({ description: "Files in the database" }),
  size_bytes: sizeSchema.nullable(),
  fault_count: count.nullable(),
  faults: z
    .array(
      z.strictObject({
        kind: z.string().meta({ description: "missing, damaged, unreadable or unknown" }),
        subject: z.string().meta({ description: "Key of the object, or id of the file in the database" }),
        owner: z.string().nullable(),
        detail: z.string().nullable(),
      }),
    )
    .meta({ description: "The first hundred of them" }),
});

export const systemStorageSchema = z
  .strictObject({
    store: z.string().meta({ description: "The store that new objects are put into" }),
    objects: z.array(z.strictObject({ store: z.string(), state: z.enum(["pending", "live", "deleting"]), ...usage })),
    by_kind: z.array(kindUsageSchema),
    by_tenant: z
      .array(z.strictObject({ tenant_id: idSchema, tenant_name: z.string(), ...usage }))
      .meta({ description: "Those with the most, at most 100" }),
    other_tenants: z
      .strictObject({ tenants: count, ...usage })
      .meta({ description: "All tenants that are not listed" }),
    overdue: z
      .strictObject({
        older_than_seconds: z.int(),
        pending: count,
        deleting: count,
        oldest_at: timeSchema.nullable(),
      })
      .meta({
        description:
          "Writes and removals that have been under way for longer; the sweeper ends those whose process is gone",
      }),
    last_verification: verificationSchema.nullable().meta({ description: "Null: there was none" }),
  })
  .meta({ id: "SystemStorage" });
export type SystemStorage = z.infer<typeof systemStorageSchema>;

export const getSystemStorage = defineRoute({
  id: "getSystemStorage",
  method: "GET",
  path: "/system/storage",
  tag: "system",
  summary: "What the object store and the database hold, by state, kind and tenant, and the last verification",
  access: { kind: "platform", role: "operator" },
  query: z.strictObject({
    older_than_seconds: z.coerce.number().int().min(0).max(31_536_000).default(3600).meta({
      description: "From which age on writes and removals under way are told in `overdue`",
    }),
  }),
  responses: { 200: systemStorageSchema },
});
