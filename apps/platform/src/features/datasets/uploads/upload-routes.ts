import { Readable } from "node:stream";
import {
  appendToDatasetUpload,
  completeDatasetUpload,
  createDatasetUpload,
  type DatasetUpload,
  deleteDatasetUpload,
  getDatasetUpload,
  listDatasetUploads,
} from "@attune/contracts/rest/dataset-uploads.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import type { Principal } from "../../../http/principal.ts";
import {
  bindRoute,
  type OperationTarget,
  type RequestContext,
  type RouteBinding,
} from "../../../http/route-binding.ts";
import { fromCursor, toPage } from "../../../infra/db/cursor.ts";
import { etagOf } from "../../../http/etag.ts";
import { datasetFileTypeOf } from "../formats/reading/read-rows.ts";
import { type DatasetPorts, getAllowed, toId } from "../ports.ts";
import { toWireReport, toWireVersion } from "../to-wire.ts";
import { appendBytes } from "./append-bytes.ts";
import { completeUpload, toError } from "./complete-upload.ts";
import type { UploadPolicy } from "./upload-policy.ts";
import {
  countOpen,
  deleteUpload,
  getUpload,
  insertUpload,
  lockUpload,
  removePieces,
  selectUploads,
  type UploadAddress,
  type UploadRow,
} from "./upload-repo.ts";

/** Routes of uploads that go on after a broken connection. */
export function bindUploadRoutes(ports: DatasetPorts): RouteBinding[] {
  return [
    bindRoute(createDatasetUpload, (context) => create(ports.uploads, context)),
    bindRoute(listDatasetUploads, (context) => list(ports.uploads, context)),
    bindRoute(getDatasetUpload, (context) => get(ports.uploads, context)),
    bindRoute(appendToDatasetUpload, (context) => append(ports, context), "own"),
    bindRoute(completeDatasetUpload, (context) => complete(ports, context), "own"),
    bindRoute(deleteDatasetUpload, (context) => remove(ports, context), "own"),
  ];
}

interface UploadContext {
  readonly tenantId: string;
  readonly principal: Principal;
  readonly params: { readonly dataset_id: string; readonly upload_id: string };
}

const addressOf = ({ tenantId, principal, params }: UploadContext): UploadAddress => ({
  tenantId,
  datasetId: params.dataset_id,
  userId: principal.userId,
  id: params.upload_id,
});

const targetOf = (datasetId: string, details: Record<string, unknown>): OperationTarget => ({
  resourceKind: "dataset",
  resourceId: datasetId,
  details,
});

async function create(policy: UploadPolicy, context: RequestContext<typeof createDatasetUpload>) {
  const { queries, body, tenantId, principal, concerns } = context;
  const { name, size, sha256 = null, mode, layout = null } = body;
  const dataset = await getAllowed(context, "edit");
  if (datasetFileTypeOf(name) === undefined) throw new AppError("DATASET_FILE_TYPE_UNKNOWN");
  if (size > policy.maxBytes) {
    throw new AppError("DATASET_FILE_TOO_LARGE", { detail: `It takes ${policy.maxBytes} bytes at most.` });
  }
  const { userId } = principal;
  // Two at once may be one too many, which is no harm.
  if ((await countOpen(queries, tenantId, userId)) >= policy.maxOpen) {
    throw new AppError("DATASET_UPLOAD_LIMIT", { detail: `At most ${policy.maxOpen} may be unfinished.` });
  }
  const facts = { name, size, sha256, mode, layout };
  const upload = await insertUpload(queries, { ...facts, id: createId(), tenantId, datasetId: dataset.id, userId });
  concerns(targetOf(dataset.id, { upload_id: upload.id, file: name, size }));
  const location = `/api/v1/datasets/${dataset.id}/uploads/${upload.id}`;
  return { body: toWire(upload, policy), headers: { location, "upload-offset": "0" } };
}

async function list(policy: UploadPolicy, context: RequestContext<typeof listDatasetUploads>) {
  const { queries, query, principal } = context;
  const { id: datasetId } = await getAllowed(context, "edit");
  const after = fromCursor(query.cursor, 1);
  const page = { beforeId: after === undefined ? undefined : toId(after[0]), limit: query.limit + 1 };
  const rows = await selectUploads(queries, { datasetId, userId: principal.userId }, page);
  return {
    body: toPage(
      rows.map((row) => toWire(row, policy)),
      query.limit,
      (last) => [last.id],
    ),
  };
}

async function get(policy: UploadPolicy, context: RequestContext<typeof getDatasetUpload>) {
  await getAllowed(context, "edit");
  return answer(await getUpload(context.queries, addressOf(context)), policy);
}

async function append(ports: DatasetPorts, context: RequestContext<typeof appendToDatasetUpload>) {
  const { query, upload: body, operation, headers } = context;
  const dataset = await getAllowed(context, "edit");
  const upload = await appendBytes(ports, addressOf(context), {
    offset: query.offset,
    contentLength: Number(headers["content-length"] ?? 0),
    body: body ?? Readable.from([]),
  });
  const details = { upload_id: upload.id, from: query.offset, to: upload.received };
  await ports.database.transaction((tx) => ports.appendOperation(tx, operation(targetOf(dataset.id, details))));
  return answer(upload, ports.uploads);
}

async function complete(ports: DatasetPorts, context: RequestContext<typeof completeDatasetUpload>) {
  const { operation } = context;
  const dataset = await getAllowed(context, "edit");
  const address = addressOf(context);
  const { version, report } = await completeUpload(ports, { dataset, address }, (tx, made) => {
    const { versionNo, size, recordCount } = made;
    const details = { upload_id: address.id, version_no: versionNo, size, record_count: recordCount };
    return ports.appendOperation(tx, operation(targetOf(dataset.id, details)));
  });
  const body = { version: toWireVersion(version), report: toWireReport(report) };
  return { body, headers: { etag: etagOf(version.versionNo) } };
}

async function remove(ports: DatasetPorts, context: RequestContext<typeof deleteDatasetUpload>) {
  const { operation } = context;
  const dataset = await getAllowed(context, "edit");
  const removal = await ports.database.transaction(async (tx) => {
    const upload = await lockUpload(tx, addressOf(context));
    if (upload.isClaimed) throw new AppError("DATASET_UPLOAD_BUSY");
    const pieces = await removePieces(tx, ports.storage, upload);
    await deleteUpload(tx, upload.id);
    await ports.appendOperation(tx, operation(targetOf(dataset.id, { upload_id: upload.id, file: upload.name })));
    return pieces;
  });
  await removal.finish();
  return {};
}

const answer = (upload: UploadRow, policy: UploadPolicy) => ({
  body: toWire(upload, policy),
  headers: { "upload-offset": String(upload.received), "upload-length": String(upload.size) },
});

function toWire(upload: UploadRow, { unfinishedMs }: UploadPolicy): DatasetUpload {
  const { id, datasetId, name, size, sha256, mode, layout, received, state, versionNo, problem, updatedAt } = upload;
  return {
    id,
    dataset_id: datasetId,
    name,
    size,
    sha256,
    mode,
    layout,
    offset: received,
    state: upload.isClaimed && state === "open" ? "completing" : state,
    version_no: versionNo,
    problem: problem && toWireProblem(toError(problem)),
    expires_at: new Date(updatedAt.getTime() + unfinishedMs).toISOString(),
  };
}

function toWireProblem({ reason, entry, details }: AppError): NonNullable<DatasetUpload["problem"]> {
  const { sentence, remedy } = entry;
  const violations = (details.violations ?? []).map((violation) => ({ ...violation }));
  return { reason, title: sentence, detail: details.detail ?? sentence, remedy, violations };
}
