import * as z from "zod";

/** Roles in one tenant, from the most rights to the least. */
export const tenantRoles = ["owner", "admin", "editor", "viewer"] as const;
export type TenantRole = (typeof tenantRoles)[number];
export const tenantRoleSchema = z.enum(tenantRoles);

/** Roles on the whole platform: operators run it and manage tenants, auditors read its records. */
export const platformRoles = ["operator", "auditor"] as const;
export type PlatformRole = (typeof platformRoles)[number];
export const platformRoleSchema = z.enum(platformRoles);
