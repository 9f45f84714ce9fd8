import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { platformRoleSchema, tenantRoleSchema } from "./roles.ts";
import { idSchema, nameSchema, pageOf, pageQuery, timeSchema } from "./schemas.ts";

export const emailSchema = z
  .string()
  .max(254)
  .transform((email) => email.normalize("NFC").trim().toLowerCase())
  .pipe(z.email());

const passwordSchema = z.string().min(1).max(1000).meta({ description: "Any characters; at least 12 for a new one" });

export const sessionSchema = z
  .strictObject({
    user: z.strictObject({
      id: idSchema,
      email: z.string(),
      display_name: z.string(),
      platform_role: platformRoleSchema.nullable(),
    }),
    tenants: z.array(z.strictObject({ id: idSchema, name: z.string(), role: tenantRoleSchema })),
    /** The tenant that requests are about unless they name another. */
    tenant_id: idSchema.nullable(),
    must_change_password: z.boolean(),
    expires_at: timeSchema.nullable(),
  })
  .meta({ id: "Session" });

export const startedSessionSchema = sessionSchema
  .extend({ token: z.string().meta({ description: "Goes into `Authorization: Bearer TOKEN`" }) })
  .meta({ id: "StartedSession" });

export const getSignInOptions = defineRoute({
  id: "getSignInOptions",
  method: "GET",
  path: "/sign-in-options",
  tag: "session",
  summary: "In which ways one can sign in",
  access: { kind: "public" },
  responses: { 200: z.strictObject({ password: z.boolean(), oidc: z.strictObject({ name: z.string() }).nullable() }) },
});

export const signIn = defineRoute({
  id: "signIn",
  method: "POST",
  path: "/session",
  tag: "session",
  summary: "Sign in with a password",
  access: { kind: "public" },
  body: z.strictObject({ email: emailSchema, password: passwordSchema }),
  responses: { 201: startedSessionSchema },
});

export const resumeSession = defineRoute({
  id: "resumeSession",
  method: "POST",
  path: "/session/resume",
  tag: "session",
  summary: "Get the token of the session whose cookie the browser holds, after the page was loaded anew",
  access: { kind: "public" },
  responses: { 200: startedSessionSchema },
});

export const getSession = defineRoute({
  id: "getSession",
  method: "GET",
  path: "/session",
  tag: "session",
  summary: "Who is signed in, and in which tenants",
  access: { kind: "signed_in" },
  responses: { 200: sessionSchema },
});

export const signOut = defineRoute({
  id: "signOut",
  method: "DELETE",
  path: "/session",
  tag: "session",
  summary: "End the session",
  access: { kind: "signed_in" },
  responses: { 204: null },
});

export const changePassword = defineRoute({
  id: "changePassword",
  method: "PUT",
  path: "/session/password",
  tag: "session",
  summary: "Set a new password; every other session of the user ends",
  access: { kind: "signed_in" },
  body: z.strictObject({ current_password: passwordSchema, new_password: passwordSchema }),
  responses: { 204: null },
});

export const startOidc = defineRoute({
  id: "startOidc",
  method: "GET",
  path: "/session/oidc",
  tag: "session",
  summary: "Go to the identity provider to sign in",
  access: { kind: "public" },
  responses: { 302: null },
});

export const finishOidc = defineRoute({
  id: "finishOidc",
  method: "GET",
  path: "/session/oidc/callback",
  tag: "session",
  summary: "Where the identity provider sends the browser back to",
  access: { kind: "public" },
  query: z.looseObject({}),
  responses: { 302: null },
});

export const userSchema = z
  .strictObject({
    id: idSchema,
    email: z.string(),
    display_name: z.string(),
    role: tenantRoleSchema,
    is_disabled: z.boolean(),
    last_seen_at: timeSchema.nullable(),
    created_at: timeSchema,
    version: z.int(),
  })
  .meta({ id: "User" });

export const listUsers = defineRoute({
  id: "listUsers",
  method: "GET",
  path: "/users",
  tag: "users",
  summary: "The members of the tenant",
  access: { kind: "tenant", action: "read", resource: "user" },
  query: pageQuery.extend({ search: z.string().max(200).optional() }),
  responses: { 200: pageOf(userSchema) },
});

export const getUser = defineRoute({
  id: "getUser",
  method: "GET",
  path: "/users/{user_id}",
  tag: "users",
  summary: "One member of the tenant",
  access: { kind: "tenant", action: "read", resource: "user" },
  params: z.strictObject({ user_id: idSchema }),
  responses: { 200: userSchema },
});

export const addUser = defineRoute({
  id: "addUser",
  method: "POST",
  path: "/users",
  tag: "users",
  summary: "Add a member; somebody new to the platform gets a password for one sign-in, shown once",
  access: { kind: "tenant", action: "create", resource: "user" },
  body: z.strictObject({ email: emailSchema, display_name: nameSchema, role: tenantRoleSchema }),
  responses: {
    201: z.strictObject({ user: userSchema, one_time_password: z.string().nullable() }),
  },
});

export const changeRole = defineRoute({
  id: "changeRole",
  method: "PATCH",
  path: "/users/{user_id}",
  tag: "users",
  summary: "Change a member's role",
  access: { kind: "tenant", action: "edit", resource: "user" },
  params: z.strictObject({ user_id: idSchema }),
  body: z.strictObject({ role: tenantRoleSchema }),
  responses: { 200: userSchema },
  needsIfMatch: true,
});

export const removeUser = defineRoute({
  id: "removeUser",
  method: "DELETE",
  path: "/users/{user_id}",
  tag: "users",
  summary: "Take a member out of the tenant; their sessions and tokens lose it at once",
  access: { kind: "tenant", action: "manage", resource: "user" },
  params: z.strictObject({ user_id: idSchema }),
  responses: { 204: null },
});

export const resetPassword = defineRoute({
  id: "resetPassword",
  method: "POST",
  path: "/users/{user_id}/password",
  tag: "users",
  summary: "Give a member a new password for one sign-in, shown once; all sessions of the member end",
  access: { kind: "tenant", action: "manage", resource: "user" },
  params: z.strictObject({ user_id: idSchema }),
  responses: { 201: z.strictObject({ one_time_password: z.string() }) },
});

export const tokenScopes = ["read", "use", "create", "edit", "manage"] as const;

export const apiTokenSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    user_id: idSchema,
    prefix: z.string().meta({ description: "The token's first characters, to recognise it by" }),
    scopes: z.array(z.enum(tokenScopes)),
    expires_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    created_at: timeSchema,
  })
  .meta({ id: "ApiToken" });

export const listApiTokens = defineRoute({
  id: "listApiTokens",
  method: "GET",
  path: "/api-tokens",
  tag: "api tokens",
  summary: "API tokens: one's own, and for administrators those of all members",
  access: { kind: "tenant", action: "read", resource: "api_token" },
  query: pageQuery,
  responses: { 200: pageOf(apiTokenSchema) },
});

export const createApiToken = defineRoute({
  id: "createApiToken",
  method: "POST",
  path: "/api-tokens",
  tag: "api tokens",
  summary: "Make an API token for this tenant; the token is shown once",
  access: { kind: "tenant", action: "create", resource: "api_token" },
  body: z.strictObject({
    name: nameSchema,
    scopes: z.array(z.enum(tokenScopes)).min(1).max(tokenScopes.length),
    expires_in_days: z.int().min(1).max(366).default(90),
  }),
  responses: { 201: apiTokenSchema.extend({ token: z.string() }) },
});

export const revokeApiToken = defineRoute({
  id: "revokeApiToken",
  method: "DELETE",
  path: "/api-tokens/{token_id}",
  tag: "api tokens",
  summary: "Revoke an API token",
  access: { kind: "tenant", action: "manage", resource: "api_token" },
  params: z.strictObject({ token_id: idSchema }),
  responses: { 204: null },
});
