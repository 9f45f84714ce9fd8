import {
  appendToDatasetUpload,
  completeDatasetUpload,
  createDatasetUpload,
  type DatasetUpload,
  getDatasetUpload,
} from "@attune/contracts/rest/dataset-uploads.ts";
import { api, isProblem } from "../../lib/api.ts";
import { upload as sendWithProgress } from "../../lib/upload.ts";
import { sendInPieces } from "./send-in-pieces.ts";
import type { Report, UploadTarget } from "./use-uploads.ts";

/** Of one request; what a broken connection takes with it at most. */
const sliceBytes = 16 * 2 ** 20;

interface Sending {
  readonly tell: (sentBytes: number | undefined) => void;
  readonly signal: AbortSignal;
}

/** Sends a file in pieces. Chosen again after the page was closed, it goes on where it was. */
export async function sendLargeFile(file: File, target: UploadTarget, { tell, signal }: Sending): Promise<Report> {
  const { datasetId } = target;
  const kept = `attune.upload.${datasetId}.${file.name}.${file.size}.${file.lastModified}`;
  const at = (uploadId: string) => ({ params: { dataset_id: datasetId, upload_id: uploadId } });
  const read = async (uploadId: string) => (await api.call(getDatasetUpload, { ...at(uploadId), signal })).body;
  const calls = {
    begin: async () => {
      const known = localStorage.getItem(kept);
      const found = known === null ? undefined : await find(known, read);
      const upload = found && isFor(found, target) ? found : await begin(file, target, signal);
      localStorage.setItem(kept, upload.id);
      return upload;
    },
    read,
    append: (uploadId: string, offset: number) => {
      const slice = file.slice(offset, offset + sliceBytes);
      const headers = { "content-type": "application/offset+octet-stream" };
      const input = { ...at(uploadId), query: { offset }, upload: slice, headers, signal };
      return sendWithProgress(appendToDatasetUpload, input, (sentBytes) => tell(offset + sentBytes));
    },
    complete: async (uploadId: string) =>
      (await sendWithProgress(completeDatasetUpload, { ...at(uploadId), signal }, () => {})).report,
  };
  const report = await sendInPieces(calls, { tell, wait: (delayMs) => waitFor(delayMs, signal) });
  localStorage.removeItem(kept);
  return report;
}

/** Undefined when it has expired. */
async function find(
  uploadId: string,
  read: (uploadId: string) => Promise<DatasetUpload>,
): Promise<DatasetUpload | undefined> {
  try {
    return await read(uploadId);
  } catch (error) {
    if (isProblem(error, "RECORD_NOT_FOUND")) return undefined;
    throw error;
  }
}

const isFor = ({ state, mode, layout }: DatasetUpload, target: UploadTarget): boolean =>
  state !== "failed" && mode === target.mode && layout === (target.layout ?? null);

async function begin(
  file: File,
  { datasetId, mode, layout }: UploadTarget,
  signal: AbortSignal,
): Promise<DatasetUpload> {
  const body = { name: file.name, size: file.size, mode, layout };
  const idempotencyKey = crypto.randomUUID();
  return (await api.call(createDatasetUpload, { params: { dataset_id: datasetId }, body, idempotencyKey, signal }))
    .body;
}

/** Ends at once, with the reason of `signal`, when that is aborted. */
function waitFor(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, delayMs);
    signal.addEventListener("abort", stop, { once: true });
  });
}
