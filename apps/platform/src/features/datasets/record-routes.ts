import {
  createDataset,
  deleteDataset,
  editDataset,
  getDataset,
  listDatasets,
  listDeletedDatasets,
  undeleteDataset,
} from "@attune/contracts/rest/datasets.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { etagOf, versionOf } from "../../http/etag.ts";
import type { Principal } from "../../http/principal.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { fromCursor, toPage } from "../../infra/db/cursor.ts";
import { abilityOf, whereAllowed } from "../access/index.ts";
import { getAllowed, getDeletedAllowed, toId } from "./ports.ts";
import { type DatasetRow, markDeleted, selectDatasets, updateDataset } from "./repo.ts";
import { addDataset, undelete } from "./service.ts";
import { datasets } from "./tables.ts";
import { toWire } from "./to-wire.ts";

/** Routes of datasets as records: their names, who may know of them, the trash. */
export function bindRecordRoutes(): RouteBinding[] {
  return [
    bindRoute(listDatasets, (context) => list(context, { isDeleted: false, search: context.query.search })),
    bindRoute(listDeletedDatasets, (context) => list(context, { isDeleted: true, search: undefined })),
    bindRoute(createDataset, create),
    bindRoute(getDataset, async (context) => withEtag(await getAllowed(context, "read"))),
    bindRoute(editDataset, edit),
    bindRoute(deleteDataset, remove),
    bindRoute(undeleteDataset, takeOut),
  ];
}

const withEtag = (row: DatasetRow) => ({ body: toWire(row), headers: { etag: etagOf(row.version) } });

interface ListContext {
  readonly queries: Queries;
  readonly principal: Principal;
  readonly tenantId: string;
  readonly query: { readonly limit: number; readonly cursor?: string | undefined };
}

async function list(
  { queries, principal, tenantId, query }: ListContext,
  filter: { readonly isDeleted: boolean; readonly search: string | undefined },
) {
  const after = fromCursor(query.cursor, 1);
  const { id, tenantId: tenant, ownerId, isPrivate } = datasets;
  const ability = await abilityOf(queries, principal);
  const rows = await selectDatasets(queries, {
    ...filter,
    tenantId,
    allowed: whereAllowed(
      ability,
      { action: "read", resource: "dataset" },
      { id, tenantId: tenant, ownerId, isPrivate },
    ),
    beforeId: after === undefined ? undefined : toId(after[0]),
    limit: query.limit + 1,
  });
  return { body: toPage(rows.map(toWire), query.limit, (last) => [last.id]) };
}

async function create({ queries, body, tenantId, principal, concerns }: RequestContext<typeof createDataset>) {
  const { name, description, is_private: isPrivate } = body;
  const row = await addDataset(queries, { tenantId, userId: principal.userId, name, description, isPrivate });
  concerns({ resourceKind: "dataset", resourceId: row.id, details: { name } });
  return withEtag(row);
}

async function edit(context: RequestContext<typeof editDataset>) {
  const { queries, body, ifMatch, concerns } = context;
  const version = versionOf(ifMatch);
  // Who may see a dataset at all is decided by who may manage it.
  const before = await getAllowed(context, body.is_private === undefined ? "edit" : "manage");
  const { name, description, is_private: isPrivate } = body;
  const row = await updateDataset(queries, { id: before.id, version }, { name, description, isPrivate });
  const names = name === undefined ? {} : { from: before.name, to: name };
  concerns({ resourceKind: "dataset", resourceId: row.id, details: { changed: Object.keys(body), ...names } });
  return withEtag(row);
}

async function remove(context: RequestContext<typeof deleteDataset>) {
  const row = await getAllowed(context, "manage");
  if (!(await markDeleted(context.queries, row))) throw new AppError("RECORD_NOT_FOUND");
  context.concerns({ resourceKind: "dataset", resourceId: row.id, details: { name: row.name } });
  return {};
}

async function takeOut(context: RequestContext<typeof undeleteDataset>) {
  const before = await getDeletedAllowed(context, "manage");
  const row = await undelete(context.queries, before, context.body.name);
  context.concerns({ resourceKind: "dataset", resourceId: row.id, details: { name: row.name } });
  return withEtag(row);
}
