import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { idSchema, nameSchema, pageOf, pageQuery, timeSchema } from "./schemas.ts";

/** `base`: its files lie on compute nodes. `api`: it is called through an OpenAI-compatible API. */
export const modelKinds = ["base", "api"] as const;
export type ModelKind = (typeof modelKinds)[number];

export const modelPurposes = ["chat", "embedding"] as const;

const purpose = z.enum(modelPurposes).meta({ description: "What it is asked for" });
const description = z
  .string()
  .max(2000)
  .refine((text) => !text.includes("\0"), { error: "must not hold NUL" });
const path = z
  .string()
  .min(1)
  .max(1000)
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  .regex(/^[^\u0000-\u001f\u007f]+$/, { error: "must not hold control characters" })
  .refine((text) => text.trim() === text, { error: "must not begin or end with a blank" })
  .meta({ description: "Folder on compute nodes, or name at a hub that they load from" });
const apiUrl = z.string().min(1).max(1000).meta({
  description: "What stands before /chat/completions, such as https://api.example.com/v1",
});
const apiModel = z
  .string()
  .min(1)
  .max(300)
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  .regex(/^[^\u0000-\u001f\u007f]+$/, { error: "must not hold control characters" })
  .meta({ description: "Name of the model at the API" });
const secret = z
  .string()
  .min(1)
  .max(4000)
  .regex(/^[\x21-\x7e]+$/, { error: "must be visible ASCII characters without spaces" })
  .meta({ description: "Key of the API; stored encrypted and never returned", writeOnly: true });
const maxConcurrency = z.int().min(1).max(1000).meta({ description: "Requests at a time to its API" });
const requestsPerMinute = z.int().min(1).max(100_000).meta({ description: "Requests begun within any 60 seconds" });
const isPrivate = z
  .boolean()
  .meta({ description: "Whether only its owner, administrators and grantees may know of it" });

export const modelSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    description: z.string(),
    kind: z.enum(modelKinds),
    purpose,
    path: z.string().nullable(),
    can_train: z.boolean().meta({ description: "Whether it is not an API model and has a path" }),
    api_url: z.string().nullable(),
    api_model: z.string().nullable(),
    has_secret: z.boolean(),
    max_concurrency: z.int().nullable().meta({ description: "Null: the platform's default" }),
    requests_per_minute: z.int().nullable().meta({ description: "Null: no limit" }),
    is_private: z.boolean(),
    owner_id: idSchema,
    created_at: timeSchema,
    updated_at: timeSchema,
    version: z.int(),
  })
  .meta({ id: "Model" });
export type Model = z.infer<typeof modelSchema>;

const shared = {
  name: nameSchema,
  description: description.default(""),
  purpose: purpose.default("chat"),
  is_private: isPrivate.default(false),
};

const newBaseModel = z
  .strictObject({ kind: z.literal("base"), ...shared, path: path.nullable().default(null) })
  .meta({ id: "NewBaseModel" });
const newApiModel = z
  .strictObject({
    kind: z.literal("api"),
    ...shared,
    api_url: apiUrl,
    api_model: apiModel,
    secret: secret.optional(),
    max_concurrency: maxConcurrency.nullable().default(null),
    requests_per_minute: requestsPerMinute.nullable().default(null),
  })
  .meta({ id: "NewApiModel" });

const modelEdit = z
  .strictObject({
    name: nameSchema,
    description,
    purpose,
    is_private: isPrivate,
    path: path.nullable(),
    api_url: apiUrl,
    api_model: apiModel,
    secret: secret.nullable().meta({ description: "Another key; null removes it", writeOnly: true }),
    max_concurrency: maxConcurrency.nullable(),
    requests_per_minute: requestsPerMinute.nullable(),
  })
  .partial()
  .meta({ id: "ModelEdit", description: "What stays as it is is left out" });

export const connectionReportSchema = z
  .strictObject({
    is_ok: z.boolean(),
    steps: z.array(
      z.strictObject({
        asked: z.string().meta({ description: "Method and URL" }),
        has_passed: z.boolean(),
        latency_ms: z.int().meta({ description: "Milliseconds" }),
        outcome: z.string(),
      }),
    ),
    is_model_listed: z.boolean().nullable().meta({ description: "Null when the API has no list of models" }),
    models: z.array(z.string()).meta({ description: "Names that the API lists, at most 100" }),
    failure: z.strictObject({ reason: z.string(), what: z.string(), remedy: z.string() }).nullable(),
  })
  .meta({ id: "ConnectionReport" });

const byId = z.strictObject({ model_id: idSchema });

export const listModels = defineRoute({
  id: "listModels",
  method: "GET",
  path: "/models",
  tag: "models",
  summary: "The models that one may know of, the newest first",
  access: { kind: "tenant", action: "read", resource: "model" },
  query: pageQuery.extend({
    kind: z.enum(modelKinds).optional(),
    can_train: z.enum(["true", "false"]).optional(),
    search: z.string().min(1).max(200).optional().meta({ description: "Part of the name, in any case" }),
  }),
  responses: { 200: pageOf(modelSchema) },
});

export const createModel = defineRoute({
  id: "createModel",
  method: "POST",
  path: "/models",
  tag: "models",
  summary: "Register a base model or a model behind an API",
  access: { kind: "tenant", action: "create", resource: "model" },
  body: z.discriminatedUnion("kind", [newBaseModel, newApiModel]),
  responses: { 201: modelSchema },
  isIdempotent: true,
});

export const getModel = defineRoute({
  id: "getModel",
  method: "GET",
  path: "/models/{model_id}",
  tag: "models",
  summary: "One model",
  access: { kind: "tenant", action: "read", resource: "model" },
  params: byId,
  responses: { 200: modelSchema },
});

export const editModel = defineRoute({
  id: "editModel",
  method: "PATCH",
  path: "/models/{model_id}",
  tag: "models",
  summary: "Change a model; another server in api_url needs the secret again",
  access: { kind: "tenant", action: "edit", resource: "model" },
  params: byId,
  body: modelEdit,
  responses: { 200: modelSchema },
  needsIfMatch: true,
});

export const deleteModel = defineRoute({
  id: "deleteModel",
  method: "DELETE",
  path: "/models/{model_id}",
  tag: "models",
  summary: "Delete a model; its name is free and its secret is gone then",
  access: { kind: "tenant", action: "manage", resource: "model" },
  params: byId,
  responses: { 204: null },
});

export const testModelConnection = defineRoute({
  id: "testModelConnection",
  method: "POST",
  path: "/models/{model_id}/connection-test",
  tag: "models",
  summary: "Ask the API of a model for an answer, and say what is wrong when none comes",
  access: { kind: "tenant", action: "use", resource: "model" },
  params: byId,
  responses: { 200: connectionReportSchema },
});

export const testNewConnection = defineRoute({
  id: "testNewConnection",
  method: "POST",
  path: "/model-connection-tests",
  tag: "models",
  summary: "The same for a model that is not registered yet; nothing of it is kept",
  access: { kind: "tenant", action: "create", resource: "model" },
  body: z.strictObject({
    purpose: purpose.default("chat"),
    api_url: apiUrl,
    api_model: apiModel,
    secret: secret.optional(),
  }),
  responses: { 200: connectionReportSchema },
});
