import { index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { idColumn, moment } from "../../infra/db/columns.ts";

/** Grants on one resource, above what roles give. Without a grant or a role there is no right. */
export const resourceAcls = pgTable(
  "resource_acls",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id").notNull(),
    resourceKind: text("resource_kind").notNull(),
    resourceId: uuid("resource_id").notNull(),
    granteeKind: text("grantee_kind", { enum: ["user", "role", "tenant"] }).notNull(),
    /** Id of the user or tenant, or name of the role. */
    grantee: text("grantee").notNull(),
    action: text("action", { enum: ["read", "use", "edit", "manage"] }).notNull(),
    grantedBy: uuid("granted_by").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("resource_acls_grant").on(table.resourceKind, table.resourceId, table.granteeKind, table.grantee),
    index("resource_acls_grantee").on(table.tenantId, table.granteeKind, table.grantee),
  ],
);
