import { and, eq, inArray } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { type Ability, defineAbility, type Grant } from "./ability.ts";
import { resourceAcls } from "./tables.ts";

type AclRow = typeof resourceAcls.$inferSelect;

/** The rights of any number of principals on some resources of a tenant, with one query for all of them. */
export async function abilitiesOn(
  queries: Queries,
  tenantId: string,
  resourceIds: readonly string[],
): Promise<(principal: Principal) => Ability> {
  const rows = await queries
    .select()
    .from(resourceAcls)
    .where(and(eq(resourceAcls.tenantId, tenantId), inArray(resourceAcls.resourceId, [...resourceIds])));
  return (principal) => defineAbility(principal, rows.filter((row) => reaches(row, principal)) as Grant[]);
}

function reaches({ granteeKind, grantee }: AclRow, { tenant, userId }: Principal): boolean {
  if (granteeKind === "user") return grantee === userId;
  return grantee === (granteeKind === "role" ? tenant?.role : tenant?.id);
}
