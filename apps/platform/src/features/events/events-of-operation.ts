import type { SharedKind } from "@attune/contracts/rest/acls.ts";
import type { Operation } from "../../http/route-binding.ts";
import type { NewEvent } from "./publish-event.ts";

type Told = Pick<NewEvent, "type" | "resourceId" | "data">;
type Tell = (operation: OperationOnResource) => readonly Told[];

interface OperationOnResource extends Operation {
  readonly resourceId: string;
}

const tell =
  (type: NewEvent["type"]): Tell =>
  ({ resourceId }) => [{ type, resourceId }];

const tellVersion: Tell = ({ resourceId, details }) => [
  { type: "dataset.version_made", resourceId, data: { version_no: Number(details?.["version_no"]) } },
];

const tellMade: Tell = ({ details }) =>
  ((details?.["made"] ?? []) as readonly { readonly id: string }[]).map(({ id }) => ({
    type: "dataset.created",
    resourceId: id,
  }));

const tellAccess: Tell = ({ resourceKind, resourceId }) => [
  { type: `${resourceKind as SharedKind}.access_changed`, resourceId },
];

/** What operations on datasets and models tell, by their ids; nothing where the list is empty. */
export const toldByOperation: Readonly<Record<string, Tell>> = {
  createDataset: tell("dataset.created"),
  editDataset: tell("dataset.changed"),
  deleteDataset: tell("dataset.deleted"),
  undeleteDataset: tell("dataset.undeleted"),
  purgeDataset: tell("dataset.purged"),
  uploadDatasetFile: tellVersion,
  createDatasetUpload: () => [],
  appendToDatasetUpload: () => [],
  completeDatasetUpload: tellVersion,
  deleteDatasetUpload: () => [],
  editDatasetRows: tellVersion,
  restoreDatasetVersion: tellVersion,
  validateDatasetVersion: tell("dataset.changed"),
  convertDataset: tellMade,
  splitDataset: tellMade,
  createModel: tell("model.created"),
  editModel: tell("model.changed"),
  deleteModel: tell("model.deleted"),
  testModelConnection: () => [],
  testNewConnection: () => [],
  grantAccess: tellAccess,
  revokeAccess: tellAccess,
};

/** The events that a line of the operation log is also told by. */
export function eventsOfOperation(operation: Operation): NewEvent[] {
  const { tenantId, resourceId, outcome, action } = operation;
  if (tenantId === undefined || resourceId === undefined || outcome !== "succeeded") return [];
  const told = toldByOperation[action]?.({ ...operation, resourceId }) ?? [];
  return told.map((event) => ({ tenantId, ...event }));
}
