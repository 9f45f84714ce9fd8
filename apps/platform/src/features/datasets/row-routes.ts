import { diffDatasetVersions, editDatasetRows, listDatasetRows } from "@attune/contracts/rest/datasets.ts";
import { etagOf, versionOf } from "../../http/etag.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Queries, Transaction } from "../../infra/db/create-database.ts";
import { diffVersions } from "./diff-versions.ts";
import type { RowChange } from "./formats/diff-rows.ts";
import { getAllowed } from "./ports.ts";
import { pageRows, saveEdits } from "./service.ts";
import { toWireFinding, toWireVersion } from "./to-wire.ts";
import { getVersion, readRow } from "./version-repo.ts";

/** Routes of rows: pages, edits, differences. */
export function bindRowRoutes(): RouteBinding[] {
  return [bindRoute(listDatasetRows, list), bindRoute(editDatasetRows, edit), bindRoute(diffDatasetVersions, diff)];
}

async function list(context: RequestContext<typeof listDatasetRows>) {
  const { queries, params, query } = context;
  const { id } = await getAllowed(context, "read");
  const version = await getVersion(queries, id, params.version_no);
  const { offset, limit, search, only } = query;
  const { rows, nextOffset } = await pageRows(queries, version, { offset, limit, search, only });
  const items = rows.map(({ source, fileNo, example, findings }) => ({
    row: source.row,
    file_no: fileNo,
    text: source.text,
    is_valid: example !== undefined,
    findings: findings.map(toWireFinding),
  }));
  const body = { items, total: version.rawCount, next_offset: nextOffset ?? null };
  return { body, headers: { etag: etagOf(version.versionNo) } };
}

async function edit(context: RequestContext<typeof editDatasetRows>) {
  const { queries, body, ifMatch, principal, concerns } = context;
  const baseNo = versionOf(ifMatch);
  const dataset = await getAllowed(context, "edit");
  const save = { dataset, userId: principal.userId, baseNo };
  const version = await saveEdits(queries as Transaction, save, body.edits);
  const details = { version_no: version.versionNo, edits: body.edits.length };
  concerns({ resourceKind: "dataset", resourceId: dataset.id, details });
  return { body: toWireVersion(version), headers: { etag: etagOf(version.versionNo) } };
}

async function diff(context: RequestContext<typeof diffDatasetVersions>) {
  const { queries, query } = context;
  const { id } = await getAllowed(context, "read");
  const [from, to] = [await getVersion(queries, id, query.from), await getVersion(queries, id, query.to)];
  const { offset, limit } = query;
  const request = { fromVersionId: from.id, toVersionId: to.id, offset, limit };
  const { counts, changes, total } = await diffVersions(queries, request);
  const items = [];
  for (const change of changes) items.push(await toWireChange(queries, change, { from: from.id, to: to.id }));
  const end = offset + changes.length;
  return { body: { ...counts, items, next_offset: end < total ? end : null } };
}

async function toWireChange(queries: Queries, change: RowChange, ids: { readonly from: string; readonly to: string }) {
  const fromRow = change.kind === "removed" ? change.row : "fromRow" in change ? change.fromRow : null;
  const row = change.kind === "removed" ? null : change.row;
  return {
    kind: change.kind,
    from_row: fromRow,
    row,
    from_text: fromRow === null ? null : await readRow(queries, ids.from, fromRow - 1),
    text: row === null ? null : await readRow(queries, ids.to, row - 1),
  };
}
