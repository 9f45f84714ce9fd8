import type { ChangeEvent, EventKind } from "@attune/contracts/rest/events.ts";

/** The first part of the keys of queries about each kind of resource; the second is the tenant, one after it may be an id. */
const roots: Readonly<Record<EventKind, string>> = {
  dataset: "datasets",
  model: "models",
  job: "jobs",
};
const grants = "acls";

type QueryKey = readonly unknown[];

/** Whether what a query fetched may be old after an event. */
export function isTouched([root, , ...parts]: QueryKey, event: ChangeEvent): boolean {
  const { resource_kind: kind, resource_id: id } = event;
  if (root === grants) return parts[0] === kind && parts[1] === id;
  if (root !== (roots as Readonly<Record<string, string>>)[kind]) return false;
  return parts.includes(id) || !parts.some(isId);
}

/** Whether events tell of changes of what a query fetched. */
export const isFollowed = ([root]: QueryKey): boolean => root === grants || Object.values(roots).includes(String(root));

const isId = (part: unknown): boolean => typeof part === "string" && /^[\da-f]{8}-/.test(part);
