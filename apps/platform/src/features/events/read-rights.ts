import { type EventKind, eventKinds } from "@attune/contracts/rest/events.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Principal } from "../../http/principal.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { abilitiesOn, isAllowed, type Protected } from "../access/index.ts";
import { refreshPrincipals } from "../identity/index.ts";
import type { EventRow } from "./repo.ts";

export interface RightsPorts {
  /** Finds what rights on records depend on, deleted ones too, in the features that own them. */
  readonly findProtected: Readonly<
    Record<EventKind, (queries: Queries, tenantId: string, ids: readonly string[]) => Promise<readonly Protected[]>>
  >;
  /** @throws AppError when the principal may follow events no longer. */
  readonly authorise: (principal: Principal) => void;
}

/** The principals of open streams as they are now, by the credential; a problem for one whose stream must end. */
export async function readStanding(
  queries: Queries,
  tenantId: string,
  { principals, authorise }: Pick<RightsPorts, "authorise"> & { readonly principals: readonly Principal[] },
): Promise<(principal: Principal) => Principal | AppError> {
  const present = await refreshPrincipals(
    queries,
    tenantId,
    principals.map(({ credential }) => credential),
  );
  return ({ credential }) => {
    const principal = present.get(credential.id);
    if (principal === undefined) return new AppError("SIGN_IN_REQUIRED");
    try {
      authorise(principal);
      return principal;
    } catch (error) {
      return error instanceof AppError ? error : new AppError("INTERNAL", {}, error);
    }
  };
}

/** Which events a principal may see: those about resources that it may read at this moment. */
export async function readVisibility(
  queries: Queries,
  tenantId: string,
  { events, findProtected }: Pick<RightsPorts, "findProtected"> & { readonly events: readonly EventRow[] },
): Promise<(principal: Principal) => ReadonlySet<string>> {
  const idsOf = (kind: EventKind): string[] => [
    ...new Set(events.filter(({ resourceKind }) => resourceKind === kind).map(({ resourceId }) => resourceId)),
  ];
  const records: (readonly [EventKind, Protected])[] = [];
  for (const kind of eventKinds) {
    const ids = idsOf(kind);
    const found = ids.length === 0 ? [] : await findProtected[kind](queries, tenantId, ids);
    const byId = new Map(found.map((record) => [record.id, record]));
    records.push(...ids.map((id) => [kind, byId.get(id) ?? gone(tenantId, id)] as const));
  }
  const abilityOf = await abilitiesOn(
    queries,
    tenantId,
    records.map(([, { id }]) => id),
  );
  return (principal) => {
    const ability = abilityOf(principal);
    const seen = records.filter(([kind, record]) => isAllowed(ability, { action: "read", resource: kind }, record));
    return new Set(seen.map(([kind, { id }]) => keyOf(kind, id)));
  };
}

/** Of a record that is no more, whoever may manage everything is told, and nobody else. */
const gone = (tenantId: string, id: string): Protected => ({ id, tenantId, ownerId: "", isPrivate: true });

export const keyOf = (resourceKind: string, resourceId: string): string => `${resourceKind} ${resourceId}`;
