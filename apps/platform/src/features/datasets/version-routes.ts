import {
  getDatasetVersion,
  listDatasetVersions,
  restoreDatasetVersion,
  uploadDatasetFile,
  validateDatasetVersion,
} from "@attune/contracts/rest/datasets.ts";
import { etagOf, versionOf } from "../../http/etag.ts";
import { readCallerBody } from "../../http/read-caller-body.ts";
import { bindRoute, type OperationTarget, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Transaction } from "../../infra/db/create-database.ts";
import { fromCursor, toPage } from "../../infra/db/cursor.ts";
import { type DatasetPorts, getAllowed, toNumber } from "./ports.ts";
import type { DatasetRow } from "./repo.ts";
import { restoreVersion, validateVersion } from "./service.ts";
import { toWireReport, toWireVersion } from "./to-wire.ts";
import { uploadFile } from "./upload-file.ts";
import { getVersion, selectFiles, selectVersions, updateReport, type VersionRow } from "./version-repo.ts";

/** Routes of versions. Those that read or write all rows hold no transaction meanwhile. */
export function bindVersionRoutes(ports: DatasetPorts): RouteBinding[] {
  return [
    bindRoute(uploadDatasetFile, (context) => upload(ports, context), "own"),
    bindRoute(listDatasetVersions, list),
    bindRoute(getDatasetVersion, get),
    bindRoute(restoreDatasetVersion, restore),
    bindRoute(validateDatasetVersion, (context) => validate(ports, context), "own"),
  ];
}

const withEtag = (version: VersionRow) => ({
  body: toWireVersion(version),
  headers: { etag: etagOf(version.versionNo) },
});

const targetOf = (dataset: DatasetRow, details: Record<string, unknown>): OperationTarget => ({
  resourceKind: "dataset",
  resourceId: dataset.id,
  details,
});

async function upload(ports: DatasetPorts, context: RequestContext<typeof uploadDatasetFile>) {
  const { query, principal, signal, upload: body, operation } = context;
  const dataset = await getAllowed(context, "edit");
  const { version, validation } = await uploadFile(ports, dataset, {
    fileName: query.name,
    mode: query.mode,
    layout: query.layout,
    body: readCallerBody(body),
    userId: principal.userId,
    signal,
    onCommit: (tx, { versionNo, size, recordCount }) => {
      const details = { version_no: versionNo, file: query.name, size, record_count: recordCount };
      return ports.appendOperation(tx, operation(targetOf(dataset, details)));
    },
  });
  return { ...withEtag(version), body: { version: toWireVersion(version), report: toWireReport(validation) } };
}

async function list(context: RequestContext<typeof listDatasetVersions>) {
  const { queries, query } = context;
  const { id } = await getAllowed(context, "read");
  const before = fromCursor(query.cursor, 1);
  const beforeNo = before === undefined ? undefined : toNumber(before[0]);
  const rows = await selectVersions(queries, id, { beforeNo, limit: query.limit + 1 });
  return { body: toPage(rows.map(toWireVersion), query.limit, (last) => [last.version_no]) };
}

async function get(context: RequestContext<typeof getDatasetVersion>) {
  const { queries, params } = context;
  const { id } = await getAllowed(context, "read");
  const version = await getVersion(queries, id, params.version_no);
  const files = (await selectFiles(queries, version.id)).map(({ name, size, rawCount, recordCount }) => {
    return { name, size, raw_count: rawCount, record_count: recordCount };
  });
  const report = version.report === null ? null : toWireReport(version.report);
  return { ...withEtag(version), body: { ...toWireVersion(version), dataset_files: files, report } };
}

async function restore(context: RequestContext<typeof restoreDatasetVersion>) {
  const { queries, params, ifMatch, principal, concerns } = context;
  const baseNo = versionOf(ifMatch);
  const dataset = await getAllowed(context, "edit");
  const save = { dataset, userId: principal.userId, baseNo };
  const version = await restoreVersion(queries as Transaction, save, params.version_no);
  concerns(targetOf(dataset, { version_no: version.versionNo, restored: params.version_no }));
  return withEtag(version);
}

async function validate(ports: DatasetPorts, context: RequestContext<typeof validateDatasetVersion>) {
  const { queries, params, body, operation } = context;
  const dataset = await getAllowed(context, "edit");
  const version = await getVersion(queries, dataset.id, params.version_no);
  const report = await validateVersion(ports.database, version, { layout: body.layout, mapping: body.mapping });
  const isOwn = (body.layout ?? version.layout) === version.layout && body.mapping === undefined;
  await ports.database.transaction(async (tx) => {
    if (isOwn) await updateReport(tx, version.id, report);
    await ports.appendOperation(tx, operation(targetOf(dataset, { version_no: version.versionNo })));
  });
  return { body: toWireReport(report) };
}
