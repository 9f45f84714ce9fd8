import { tenantRoles } from "@attune/contracts/rest/roles.ts";
import { useSession } from "../lib/session.tsx";
import { type PageEntry, pages } from "./pages.tsx";

/** The pages on which the user's role finds something. */
export function useVisiblePages(): readonly PageEntry[] {
  const { tenant, session } = useSession();
  if (tenant === undefined) return [];
  const isOperator = session?.user.platform_role === "operator";
  return pages.filter(
    ({ role, isForOperator }) =>
      tenantRoles.indexOf(tenant.role) <= tenantRoles.indexOf(role) || (isForOperator === true && isOperator),
  );
}
