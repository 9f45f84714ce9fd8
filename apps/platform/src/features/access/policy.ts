import type { Action, ResourceKind } from "@attune/contracts/rest/define-route.ts";
import type { TenantRole } from "@attune/contracts/rest/roles.ts";

/** On which resources of the tenant a rule holds. */
export type Extent =
  /** All of them, private ones included. */
  | "all"
  /** Those that are not private. */
  | "shared"
  /** Those that the user made. */
  | "own";

export interface PolicyRule {
  readonly action: Action;
  readonly resource: ResourceKind;
  readonly extent: Extent;
}

const rule = (resource: ResourceKind, action: Action, extent: Extent): PolicyRule => ({ resource, action, extent });
const shared = (action: Action): PolicyRule[] => [rule("dataset", action, "shared"), rule("model", action, "shared")];
const own: PolicyRule[] = [rule("dataset", "manage", "own"), rule("model", "manage", "own")];

const viewer: PolicyRule[] = [
  rule("tenant", "read", "all"),
  ...shared("read"),
  rule("job", "read", "shared"),
  rule("api_token", "manage", "own"),
];

const editor: PolicyRule[] = [
  ...viewer,
  ...shared("use"),
  ...shared("create"),
  ...shared("edit"),
  ...own,
  rule("job", "manage", "own"),
  // Whoever shares a record must be able to name people.
  rule("user", "read", "all"),
];

const admin: PolicyRule[] = [
  ...editor,
  rule("tenant", "edit", "all"),
  rule("dataset", "manage", "all"),
  rule("model", "manage", "all"),
  rule("job", "manage", "all"),
  rule("user", "manage", "all"),
  rule("api_token", "manage", "all"),
  rule("operation_log", "read", "all"),
  rule("storage", "read", "all"),
];

const owner: PolicyRule[] = [...admin, rule("tenant", "manage", "all")];

/** What each role may do. What is not here is denied, unless a grant on the resource gives it. */
export const rolePolicies: Readonly<Record<TenantRole, readonly PolicyRule[]>> = { viewer, editor, admin, owner };

/** The actions that each one includes. */
export const includedActions: Readonly<Record<Action, readonly Action[]>> = {
  read: ["read"],
  use: ["use", "read"],
  create: ["create"],
  edit: ["edit", "use", "read"],
  manage: ["manage", "edit", "use", "read", "create"],
};
