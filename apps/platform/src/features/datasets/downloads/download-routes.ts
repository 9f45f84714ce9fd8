import { Readable } from "node:stream";
import { downloadDataset, exportDataset } from "@attune/contracts/rest/dataset-downloads.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../../http/route-binding.ts";
import { toContentDisposition } from "../../../infra/storage/content-disposition.ts";
import { datasetFileTypeOf } from "../formats/reading/read-rows.ts";
import { type DatasetPorts, getAllowed } from "../ports.ts";
import type { DatasetRow } from "../repo.ts";
import { getVersion, selectFiles, type VersionFileRow, type VersionRow } from "../version-repo.ts";
import { toArchiveNames } from "./archive-names.ts";
import { prepareExport, toBytes } from "./export-version.ts";
import { renderFileRows } from "./file-rows.ts";
import { writeZip, type ZipPart } from "./write-zip.ts";

/** Routes by which data leaves the platform; each is written to the operation log before the first byte. */
export function bindDownloadRoutes(ports: DatasetPorts): RouteBinding[] {
  return [
    bindRoute(downloadDataset, (context) => download(ports, context), "own"),
    bindRoute(exportDataset, (context) => exportFiles(ports, context), "own"),
  ];
}

type DownloadContext = RequestContext<typeof downloadDataset> | RequestContext<typeof exportDataset>;

async function download(ports: DatasetPorts, context: RequestContext<typeof downloadDataset>) {
  const { dataset, version } = await getWanted(ports, context);
  const files = await selectFiles(ports.database.queries, version.id);
  const [first] = files;
  const parts = { ports, context, dataset };
  if (first !== undefined && files.length === 1) {
    const content = await openContent(parts, first);
    await record(parts, version, { files: 1, size: version.size });
    const sized = content.sizeBytes === undefined ? {} : { "content-length": String(content.sizeBytes) };
    return { body: content.stream, headers: { ...headersOf(first.name, "application/octet-stream"), ...sized } };
  }
  const names = toArchiveNames(files.map(({ name }) => name));
  const zipped = files.map((file, index): ZipPart => {
    const open = async function* () {
      yield* (await openContent(parts, file)).stream as AsyncIterable<Uint8Array>;
    };
    return { path: names[index] ?? file.name, expectedBytes: file.size, open };
  });
  await record(parts, version, { files: files.length, size: version.size });
  return toZip(`${dataset.name}.zip`, zipped, version);
}

async function exportFiles(ports: DatasetPorts, context: RequestContext<typeof exportDataset>) {
  const { layout, unwritable } = context.query;
  const { dataset, version } = await getWanted(ports, context);
  const { parts, counts } = await prepareExport(ports.database.queries, { dataset, version, layout, unwritable });
  await record({ ports, context, dataset }, version, { layout, written: counts.written });
  const answer = toZip(`${dataset.name}-${layout}.zip`, parts, version);
  return { ...answer, headers: { ...answer.headers, "attune-export-counts": JSON.stringify(counts) } };
}

/** The version that is asked for, else the present one. @throws AppError `RECORD_NOT_FOUND`, `DATASET_EMPTY`. */
async function getWanted({ database }: DatasetPorts, context: DownloadContext) {
  const dataset = await getAllowed(context, "read");
  const versionNo = context.query.version_no ?? dataset.versionNo;
  if (versionNo === 0) throw new AppError("DATASET_EMPTY");
  return { dataset, version: await getVersion(database.queries, dataset.id, versionNo) };
}

interface Parts {
  readonly ports: DatasetPorts;
  readonly context: DownloadContext;
  readonly dataset: DatasetRow;
}

/** The uploaded bytes while the rows are theirs, else the rows in the file's own format. */
async function openContent(
  { ports: { database, storage }, context, dataset: { tenantId } }: Parts,
  { versionId, fileNo, fileId, name }: VersionFileRow,
): Promise<{ readonly stream: Readable; readonly sizeBytes: number | undefined }> {
  if (fileId !== null) return storage.openFile(database.queries, { tenantId, fileId }, { signal: context.signal });
  const fileType = datasetFileTypeOf(name) ?? "jsonl";
  const texts = renderFileRows(database.queries, { versionId, fileNo, fileType });
  return { stream: Readable.from(toBytes(texts), { objectMode: false }), sizeBytes: undefined };
}

function record({ ports, context, dataset }: Parts, { versionNo }: VersionRow, facts: Record<string, unknown>) {
  const target = { resourceKind: "dataset", resourceId: dataset.id, details: { version_no: versionNo, ...facts } };
  return ports.database.transaction((tx) => ports.appendOperation(tx, context.operation(target)));
}

const headersOf = (fileName: string, mediaType: string): Record<string, string> => ({
  "content-type": mediaType,
  "content-disposition": toContentDisposition(fileName),
  "x-content-type-options": "nosniff",
  "cache-control": "private, no-store",
});

function toZip(fileName: string, parts: readonly ZipPart[], { createdAt }: VersionRow) {
  const body = Readable.from(writeZip(parts, createdAt), { objectMode: false });
  return { body, headers: headersOf(fileName, "application/zip") };
}
