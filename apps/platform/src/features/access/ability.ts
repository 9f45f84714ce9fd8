import { createMongoAbility, type MongoAbility, type RawRuleOf, subject } from "@casl/ability";
import type { Action, ResourceKind } from "@attune/contracts/rest/define-route.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Principal } from "../../http/principal.ts";
import { type Extent, includedActions, rolePolicies } from "./policy.ts";

/** What rights on a resource depend on. */
export interface Protected {
  readonly id: string;
  readonly tenantId: string;
  /** The user who made it. */
  readonly ownerId: string;
  /** Whether only its owner, administrators and grantees may know of it. */
  readonly isPrivate: boolean;
}

/** A grant on one resource that reaches the principal. */
export interface Grant {
  readonly resourceKind: ResourceKind;
  readonly resourceId: string;
  readonly action: Action;
}

export type Ability = MongoAbility<[Action, ResourceKind | Protected]>;
type Rule = RawRuleOf<Ability>;

/**
 * The rights of a principal in the tenant of the request: those of the role, those of grants, and of an API token only those
 * that it is for. Everything else is denied.
 */
export function defineAbility(principal: Principal, grants: readonly Grant[]): Ability {
  const { tenant, credential, userId } = principal;
  if (tenant === undefined) return createMongoAbility<Ability>([]);
  const isInScope = (action: Action): boolean => credential.scopes?.includes(action) ?? true;
  const ofRole = rolePolicies[tenant.role].flatMap(({ action, resource, extent }) =>
    includedActions[action].map((included) => ({
      action: included,
      subject: resource,
      conditions: { tenantId: tenant.id, ...conditionOf(extent, userId) },
    })),
  );
  const ofGrants = [...groupGrants(grants)].map(([key, ids]) => {
    const [action, resource] = key.split(" ") as [Action, ResourceKind];
    return { action, subject: resource, conditions: { tenantId: tenant.id, id: { $in: ids } } };
  });
  const rules = [...ofRole, ...ofGrants].filter(({ action }) => isInScope(action));
  return createMongoAbility<Ability>(rules as Rule[]);
}

function conditionOf(extent: Extent, userId: string): Record<string, unknown> {
  if (extent === "own") return { ownerId: userId };
  return extent === "shared" ? { isPrivate: false } : {};
}

function groupGrants(grants: readonly Grant[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { resourceKind, resourceId, action } of grants) {
    for (const included of includedActions[action]) {
      const key = `${included} ${resourceKind}`;
      const ids = groups.get(key);
      if (ids === undefined) groups.set(key, [resourceId]);
      else ids.push(resourceId);
    }
  }
  return groups;
}

export interface Request {
  readonly action: Action;
  readonly resource: ResourceKind;
}

export function isAllowed(ability: Ability, { action, resource }: Request, record: Protected): boolean {
  return ability.can(action, subject(resource, { ...record }));
}

/**
 * Lets a request on one record through, or tells no more than the principal may know.
 * @throws AppError RECORD_NOT_FOUND for a record that is absent or may not be read; PERMISSION_DENIED for one that may.
 */
export function requireAllowed<T extends Protected>(ability: Ability, request: Request, record: T | undefined): T {
  const { resource } = request;
  if (record === undefined || !isAllowed(ability, { action: "read", resource }, record)) {
    throw new AppError("RECORD_NOT_FOUND");
  }
  if (!isAllowed(ability, request, record)) {
    throw new AppError("PERMISSION_DENIED", { detail: `You may not ${request.action} this ${resource}.` });
  }
  return record;
}
