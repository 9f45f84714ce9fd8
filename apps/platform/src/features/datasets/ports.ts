import type { Action } from "@attune/contracts/rest/define-route.ts";
import type { Principal } from "../../http/principal.ts";
import type { Operation } from "../../http/route-binding.ts";
import type { Database, Queries, Transaction } from "../../infra/db/create-database.ts";
import { abilityOf, requireAllowed } from "../access/index.ts";
import type { Storage } from "../storage/index.ts";
import { type DatasetRow, findDataset, findDeleted } from "./repo.ts";
import type { UploadPolicy } from "./uploads/upload-policy.ts";

export interface DatasetPorts {
  readonly database: Database;
  readonly storage: Pick<Storage, "stageFile" | "openFile" | "removeFiles">;
  readonly uploads: UploadPolicy;
  readonly appendOperation: (tx: Transaction, operation: Operation) => Promise<void>;
}

interface RecordContext {
  readonly queries: Queries;
  readonly tenantId: string;
  readonly principal: Principal;
  readonly params: { readonly dataset_id: string };
}

/** @throws AppError `RECORD_NOT_FOUND`, `PERMISSION_DENIED`. */
export async function getAllowed(context: RecordContext, action: Action): Promise<DatasetRow> {
  return getFrom(context, action, findDataset);
}

/** The same for what is in the trash. */
export async function getDeletedAllowed(context: RecordContext, action: Action): Promise<DatasetRow> {
  return getFrom(context, action, findDeleted);
}

async function getFrom(context: RecordContext, action: Action, find: typeof findDataset): Promise<DatasetRow> {
  const { queries, principal, tenantId, params } = context;
  const ability = await abilityOf(queries, principal);
  return requireAllowed(ability, { action, resource: "dataset" }, await find(queries, tenantId, params.dataset_id));
}

export { toId, toNumber } from "../../infra/db/cursor.ts";
