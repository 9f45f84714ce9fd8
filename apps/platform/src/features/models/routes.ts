import type { BodyOf } from "@attune/contracts/rest/define-route.ts";
import {
  createModel,
  deleteModel,
  editModel,
  getModel,
  listModels,
  testModelConnection,
  testNewConnection,
} from "@attune/contracts/rest/models.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { etagOf, versionOf } from "../../http/etag.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Operation } from "../../http/route-binding.ts";
import type { Database, Transaction } from "../../infra/db/create-database.ts";
import { fromCursor, toPage } from "../../infra/db/cursor.ts";
import type { ConnectionReport, ModelApi, ModelPurpose } from "../../infra/model-api/model-api.ts";
import { abilityOf, requireAllowed, whereAllowed } from "../access/index.ts";
import { findModel, markDeleted, type ModelRow, selectModels } from "./repo.ts";
import { addModel, changeModel, type ModelDeps, openModelApi } from "./service.ts";
import { models } from "./tables.ts";
import { toWire } from "./to-wire.ts";

export interface ModelPorts extends ModelDeps {
  readonly database: Database;
  readonly appendOperation: (tx: Transaction, operation: Operation) => Promise<void>;
}

export function bindModelRoutes(ports: ModelPorts): RouteBinding[] {
  return [
    bindRoute(listModels, list),
    bindRoute(createModel, (context) => create(ports, context)),
    bindRoute(getModel, async (context) => withEtag(await getAllowed(context, "read"))),
    bindRoute(editModel, (context) => edit(ports, context)),
    bindRoute(deleteModel, remove),
    // Asking an API may take a minute; no transaction is held meanwhile.
    bindRoute(testModelConnection, (context) => testSaved(ports, context), "own"),
    bindRoute(testNewConnection, (context) => testNew(ports, context), "own"),
  ];
}

const withEtag = (row: ModelRow) => ({ body: toWire(row), headers: { etag: etagOf(row.version) } });

async function list({ queries, principal, tenantId, query }: RequestContext<typeof listModels>) {
  const after = fromCursor(query.cursor, 1);
  const columns = { id: models.id, tenantId: models.tenantId, ownerId: models.ownerId, isPrivate: models.isPrivate };
  const ability = await abilityOf(queries, principal);
  const rows = await selectModels(queries, {
    tenantId,
    allowed: whereAllowed(ability, { action: "read", resource: "model" }, columns),
    beforeId: after === undefined ? undefined : toId(after[0]),
    kind: query.kind,
    canTrain: query.can_train === undefined ? undefined : query.can_train === "true",
    search: query.search,
    limit: query.limit + 1,
  });
  return { body: toPage(rows.map(toWire), query.limit, ({ id }) => [id]) };
}

function toId(value: unknown): string {
  if (typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)) return value;
  const violations = [{ pointer: "/query/cursor", message: "is not the next_cursor of a page of this list" }];
  throw new AppError("REQUEST_INVALID", { violations });
}

type RecordContext = Pick<RequestContext, "queries" | "tenantId"> & {
  readonly principal: RequestContext<typeof getModel>["principal"];
  readonly params: { readonly model_id: string };
};

/** @throws AppError `RECORD_NOT_FOUND`, `PERMISSION_DENIED`. */
async function getAllowed(
  { queries, principal, tenantId, params }: RecordContext,
  action: "read" | "use" | "edit" | "manage",
): Promise<ModelRow> {
  const ability = await abilityOf(queries, principal);
  return requireAllowed(ability, { action, resource: "model" }, await findModel(queries, tenantId, params.model_id));
}

async function create({ secretBox }: ModelPorts, context: RequestContext<typeof createModel>) {
  const { queries, body, tenantId, principal, concerns } = context;
  const row = await addModel(queries, body, { tenantId, userId: principal.userId, secretBox });
  const { name, kind } = row;
  concerns({ resourceKind: "model", resourceId: row.id, details: { name, kind } });
  return withEtag(row);
}

async function edit({ secretBox }: ModelPorts, context: RequestContext<typeof editModel>) {
  const { queries, body, ifMatch, concerns } = context;
  const version = versionOf(ifMatch);
  // Who may see a model at all is decided by who may manage it.
  const before = await getAllowed(context, body.is_private === undefined ? "edit" : "manage");
  const row = await changeModel(queries, before, { edit: body, version, secretBox });
  concerns({ resourceKind: "model", resourceId: row.id, details: describeEdit(body, before) });
  return withEtag(row);
}

function describeEdit(body: BodyOf<typeof editModel>, before: ModelRow): Record<string, unknown> {
  const names = body.name === undefined ? {} : { from: before.name, to: body.name };
  return { changed: Object.keys(body), ...names };
}

async function remove(context: RequestContext<typeof deleteModel>) {
  const { queries, tenantId, concerns } = context;
  const { id, name } = await getAllowed(context, "manage");
  if (!(await markDeleted(queries, tenantId, id))) throw new AppError("RECORD_NOT_FOUND");
  concerns({ resourceKind: "model", resourceId: id, details: { name } });
  return {};
}

async function testSaved(ports: ModelPorts, context: RequestContext<typeof testModelConnection>) {
  const model = await getAllowed(context, "use");
  const report = await testOnce(openModelApi(model, ports), model.purpose, context.signal);
  await record(ports, context.operation({ resourceKind: "model", resourceId: model.id, details: told(report) }));
  return { body: toWireReport(report) };
}

async function testNew(ports: ModelPorts, context: RequestContext<typeof testNewConnection>) {
  const { api_url: apiUrl, api_model: apiModel, secret, purpose } = context.body;
  const endpoint = { apiUrl, apiModel, ...(secret !== undefined && { secret: new Secret(secret) }) };
  const report = await testOnce(ports.modelApis.open(endpoint), purpose, context.signal);
  const target = { resourceKind: "model_api", resourceId: new URL(apiUrl).origin, details: told(report) };
  await record(ports, context.operation(target));
  return { body: toWireReport(report) };
}

/** @throws AppError `CALL_CANCELLED` when the caller went away meanwhile. */
async function testOnce(api: ModelApi, purpose: ModelPurpose, signal: AbortSignal): Promise<ConnectionReport> {
  try {
    return await api.testConnection(purpose, signal);
  } catch (error) {
    if (signal.aborted) throw new AppError("CALL_CANCELLED", {}, error);
    throw error;
  }
}

const told = ({ isOk, failure }: ConnectionReport) => ({ is_ok: isOk, ...(failure && { reason: failure.reason }) });

const record = ({ database, appendOperation }: ModelPorts, operation: Operation): Promise<void> =>
  database.transaction((tx) => appendOperation(tx, operation));

const toWireReport = (report: ConnectionReport) => ({
  is_ok: report.isOk,
  steps: report.steps.map(({ asked, hasPassed, latencyMs, outcome }) => ({
    asked,
    has_passed: hasPassed,
    latency_ms: latencyMs,
    outcome,
  })),
  is_model_listed: report.isModelListed ?? null,
  models: [...report.models],
  failure: report.failure === undefined ? null : { ...report.failure },
});
