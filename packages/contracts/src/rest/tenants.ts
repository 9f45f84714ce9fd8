import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { emailSchema } from "./identity.ts";
import { idSchema, nameSchema, pageOf, pageQuery, timeSchema } from "./schemas.ts";

export const tenantSchema = z
  .strictObject({ id: idSchema, name: z.string(), created_at: timeSchema, version: z.int() })
  .meta({ id: "Tenant" });

export const listTenants = defineRoute({
  id: "listTenants",
  method: "GET",
  path: "/tenants",
  tag: "tenants",
  summary: "All tenants of the platform",
  access: { kind: "platform", role: "auditor" },
  query: pageQuery,
  responses: { 200: pageOf(tenantSchema) },
});

export const createTenant = defineRoute({
  id: "createTenant",
  method: "POST",
  path: "/tenants",
  tag: "tenants",
  summary:
    "Make a tenant with its first owner; an owner new to the platform gets a password for one sign-in, shown once",
  access: { kind: "platform", role: "operator" },
  body: z.strictObject({ name: nameSchema, owner_email: emailSchema, owner_display_name: nameSchema }),
  responses: { 201: z.strictObject({ tenant: tenantSchema, one_time_password: z.string().nullable() }) },
});

export const getTenant = defineRoute({
  id: "getTenant",
  method: "GET",
  path: "/tenant",
  tag: "tenants",
  summary: "The tenant that the request is about",
  access: { kind: "tenant", action: "read", resource: "tenant" },
  responses: { 200: tenantSchema },
});

export const renameTenant = defineRoute({
  id: "renameTenant",
  method: "PATCH",
  path: "/tenant",
  tag: "tenants",
  summary: "Give the tenant another name",
  access: { kind: "tenant", action: "edit", resource: "tenant" },
  body: z.strictObject({ name: nameSchema }),
  responses: { 200: tenantSchema },
  needsIfMatch: true,
});
