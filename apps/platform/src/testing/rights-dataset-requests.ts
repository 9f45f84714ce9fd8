import { createDatasetUpload, appendToDatasetUpload } from "@attune/contracts/rest/dataset-uploads.ts";
import { createDataset, deleteDataset, uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import type { TestPlatform, TestUser } from "./start-test-platform.ts";

let count = 0;
const fresh = (): string => `rights-dataset-${++count}`;
const rows = '{"instruction":"Say one.","output":"One."}\n{"instruction":"Say two.","output":"Two."}\n';

/** A dataset of the operator's with two rows; its only version with rows is the second one. */
async function aDataset({ operator }: TestPlatform) {
  const { body } = await operator.client.call(createDataset, { body: { name: fresh() } });
  const params = { dataset_id: body.id };
  const uploaded = await operator.client.call(uploadDatasetFile, {
    params,
    query: { name: "rows.jsonl" },
    upload: rows,
  });
  const versionNo = uploaded.body.version.version_no;
  return { params, versionNo, ifMatch: `"${versionNo}"` };
}

const byId = async (run: TestPlatform) => ({ params: (await aDataset(run)).params });

async function byVersion(run: TestPlatform) {
  const { params, versionNo, ifMatch } = await aDataset(run);
  return { params: { ...params, version_no: String(versionNo) }, ifMatch };
}

/** An upload of the actor's own; of the operator's where the actor has not the right to begin one. */
async function anUpload(run: TestPlatform, actor: TestUser) {
  const { params } = await aDataset(run);
  const body = { name: "pieces.jsonl", size: rows.length };
  const begin = ({ client }: TestUser) => client.call(createDatasetUpload, { params, body });
  const upload = await begin(actor).catch(() => begin(run.operator));
  return { params: { ...params, upload_id: upload.body.id } };
}

async function aWholeUpload(run: TestPlatform, actor: TestUser) {
  const upload = await anUpload(run, actor);
  const bytes = { ...upload, query: { offset: 0 }, upload: rows };
  const send = ({ client }: TestUser) => client.call(appendToDatasetUpload, bytes);
  await send(actor).catch(() => send(run.operator));
  return upload;
}

/** Requests on datasets that would succeed for whoever has the right. */
export const datasetRequests = {
  createDataset: async () => ({ body: { name: fresh() } }),
  getDataset: byId,
  editDataset: async ({ operator }: TestPlatform) => {
    const { body, etag } = await operator.client.call(createDataset, { body: { name: fresh() } });
    return { params: { dataset_id: body.id }, body: { description: "Edited" }, ifMatch: etag ?? '"1"' };
  },
  deleteDataset: byId,
  undeleteDataset: async (run: TestPlatform) => {
    const { params } = await aDataset(run);
    await run.operator.client.call(deleteDataset, { params });
    return { params, body: {} };
  },
  uploadDatasetFile: async (run: TestPlatform) => ({
    params: (await aDataset(run)).params,
    query: { name: "more.jsonl" },
    upload: rows,
  }),
  createDatasetUpload: async (run: TestPlatform) => ({
    params: (await aDataset(run)).params,
    body: { name: "pieces.jsonl", size: rows.length },
  }),
  listDatasetUploads: byId,
  getDatasetUpload: anUpload,
  appendToDatasetUpload: async (run: TestPlatform, actor: TestUser) => ({
    ...(await anUpload(run, actor)),
    query: { offset: 0 },
    upload: rows,
  }),
  completeDatasetUpload: aWholeUpload,
  deleteDatasetUpload: anUpload,
  listDatasetVersions: byId,
  getDatasetVersion: async (run: TestPlatform) => ({ params: (await byVersion(run)).params }),
  listDatasetRows: async (run: TestPlatform) => ({ params: (await byVersion(run)).params }),
  editDatasetRows: async (run: TestPlatform) => {
    const { params, ifMatch } = await aDataset(run);
    return { params, ifMatch, body: { edits: [{ op: "delete", row: 1 }] } };
  },
  diffDatasetVersions: async (run: TestPlatform) => {
    const { params, versionNo } = await aDataset(run);
    return { params, query: { from: versionNo, to: versionNo } };
  },
  restoreDatasetVersion: byVersion,
  validateDatasetVersion: async (run: TestPlatform) => ({ params: (await byVersion(run)).params, body: {} }),
  downloadDataset: byId,
  exportDataset: async (run: TestPlatform) => ({ ...(await byId(run)), query: { layout: "llama_factory" } }),
  convertDataset: async (run: TestPlatform) => ({
    params: (await aDataset(run)).params,
    body: { name: fresh(), layout: "openai_messages" },
  }),
  splitDataset: async (run: TestPlatform) => ({
    params: (await aDataset(run)).params,
    body: { train_name: fresh(), validation_name: fresh(), validation_fraction: 0.5 },
  }),
};
