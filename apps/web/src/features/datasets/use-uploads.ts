import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import type { validationReportSchema } from "@attune/contracts/rest/dataset-schemas.ts";
import { uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import { useRef, useState } from "react";
import type * as z from "zod";
import { upload } from "../../lib/upload.ts";
import { sendLargeFile } from "./send-large-file.ts";

export type Report = z.infer<typeof validationReportSchema>;

export interface FileUpload {
  readonly key: string;
  readonly file: File;
  readonly state: "waiting" | "sending" | "offline" | "checking" | "done" | "failed";
  readonly sentBytes: number;
  readonly report?: Report;
  readonly error?: unknown;
}

export interface UploadTarget {
  readonly datasetId: string;
  readonly mode: "append" | "replace";
  readonly layout: DatasetLayout | undefined;
}

/** Files that are sent one after the other; those that have arrived are not sent again. */
export function useUploads() {
  const [files, setFiles] = useState<readonly FileUpload[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const stopper = useRef<AbortController>(undefined);
  const change = (key: string, next: Partial<FileUpload>): void =>
    setFiles((all) => all.map((one) => (one.key === key ? { ...one, ...next } : one)));
  return {
    files,
    isRunning,
    isDone: files.length > 0 && files.every(({ state }) => state === "done"),
    add: (added: readonly File[]): void =>
      setFiles((all) => [
        ...all,
        ...added.map((file) => ({ key: crypto.randomUUID(), file, state: "waiting" as const, sentBytes: 0 })),
      ]),
    remove: (key: string): void => setFiles((all) => all.filter((one) => one.key !== key)),
    run: async (target: UploadTarget): Promise<void> => {
      const controller = new AbortController();
      stopper.current = controller;
      setIsRunning(true);
      await sendAll(files, { target, change, signal: controller.signal });
      setIsRunning(false);
    },
    stop: (): void => stopper.current?.abort(),
  };
}

export type Uploads = ReturnType<typeof useUploads>;

interface Sending {
  readonly target: UploadTarget;
  readonly change: (key: string, next: Partial<FileUpload>) => void;
  readonly signal: AbortSignal;
}

async function sendAll(files: readonly FileUpload[], { target, change, signal }: Sending): Promise<void> {
  // Only the first file that arrives replaces what was there before.
  let hasArrived = files.some(({ state }) => state === "done");
  for (const { key, file } of files.filter(({ state }) => state !== "done")) {
    change(key, { state: "sending", sentBytes: 0, error: undefined });
    try {
      const mode = hasArrived ? "append" : target.mode;
      const tell = (sentBytes: number | undefined): void =>
        change(key, sentBytes === undefined ? { state: "offline" } : { state: stateAt(sentBytes, file), sentBytes });
      const report = await sendFile(file, { ...target, mode }, { tell, signal });
      hasArrived = true;
      change(key, { state: "done", sentBytes: file.size, report });
    } catch (error) {
      if (signal.aborted) return change(key, { state: "waiting", sentBytes: 0 });
      change(key, { state: "failed", error });
    }
  }
}

const stateAt = (sentBytes: number, { size }: File) => (sentBytes < size ? "sending" : "checking");

interface FileSending {
  /** Undefined while the connection is lost. */
  readonly tell: (sentBytes: number | undefined) => void;
  readonly signal: AbortSignal;
}

/** Larger files are sent in pieces, so that what has arrived is not sent again when the connection breaks. */
const wholeBytes = 8 * 2 ** 20;

async function sendFile(file: File, target: UploadTarget, sending: FileSending): Promise<Report> {
  if (file.size > wholeBytes) return sendLargeFile(file, target, sending);
  const { datasetId, mode, layout } = target;
  const params = { dataset_id: datasetId };
  const query = { name: file.name, mode, layout };
  const headers = { "content-type": "application/octet-stream" };
  const { tell, signal } = sending;
  return (await upload(uploadDatasetFile, { params, query, upload: file, headers, signal }, tell)).report;
}
