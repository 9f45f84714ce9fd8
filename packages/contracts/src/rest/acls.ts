import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { idSchema, timeSchema } from "./schemas.ts";
import { tenantRoles } from "./roles.ts";

/** The kinds of resources that can be shared one by one. */
export const sharedKinds = ["dataset", "model"] as const;
export type SharedKind = (typeof sharedKinds)[number];

export const grantedActions = ["read", "use", "edit", "manage"] as const;

const action = z.enum(grantedActions);
const grant = z.discriminatedUnion("grantee_kind", [
  z.strictObject({ grantee_kind: z.literal("user"), grantee: idSchema, action }),
  z.strictObject({ grantee_kind: z.literal("role"), grantee: z.enum(tenantRoles), action }),
  z.strictObject({ grantee_kind: z.literal("tenant"), grantee: idSchema, action }),
]);

export const aclSchema = z
  .strictObject({
    id: idSchema,
    resource_kind: z.enum(sharedKinds),
    resource_id: idSchema,
    grantee_kind: z.enum(["user", "role", "tenant"]),
    grantee: z.string(),
    action: z.enum(grantedActions),
    granted_by: idSchema,
    created_at: timeSchema,
  })
  .meta({ id: "ResourceAcl" });

const resource = z.strictObject({ resource_kind: z.enum(sharedKinds), resource_id: idSchema });

export const listAcls = defineRoute({
  id: "listAcls",
  method: "GET",
  path: "/resource-acls/{resource_kind}/{resource_id}",
  tag: "access",
  summary: "Who may do what with one resource, beyond their roles",
  access: { kind: "tenant", action: "read", resource: "resource_acl" },
  params: resource,
  responses: { 200: z.strictObject({ items: z.array(aclSchema) }) },
});

export const grantAccess = defineRoute({
  id: "grantAccess",
  method: "POST",
  path: "/resource-acls/{resource_kind}/{resource_id}",
  tag: "access",
  summary: "Grant a right on one resource; a grant to the same grantee is replaced",
  access: { kind: "tenant", action: "manage", resource: "resource_acl" },
  params: resource,
  body: grant,
  responses: { 201: aclSchema },
  isIdempotent: true,
});

export const revokeAccess = defineRoute({
  id: "revokeAccess",
  method: "DELETE",
  path: "/resource-acls/{resource_kind}/{resource_id}/{acl_id}",
  tag: "access",
  summary: "Take a grant back",
  access: { kind: "tenant", action: "manage", resource: "resource_acl" },
  params: resource.extend({ acl_id: idSchema }),
  responses: { 204: null },
});
