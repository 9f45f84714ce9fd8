import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { sql } from "drizzle-orm";
import type { Transaction } from "../../../infra/db/create-database.ts";
import type { ValidationReport } from "../formats/validate.ts";
import type { DatasetPorts } from "../ports.ts";
import type { DatasetRow } from "../repo.ts";
import { uploadFile } from "../upload-file.ts";
import { getVersion, type VersionRow } from "../version-repo.ts";
import type { KeptProblem } from "./tables.ts";
import {
  claimUpload,
  getUpload,
  removePieces,
  selectPieces,
  updateClaimed,
  type UploadAddress,
  type UploadRow,
} from "./upload-repo.ts";

export interface CompletedUpload {
  readonly version: VersionRow;
  readonly report: ValidationReport;
}

type OnCommit = (tx: Transaction, version: VersionRow) => Promise<void>;

/** Of a file that can never be taken; anything else may succeed another time. */
const finalReasons = new Set<string>(["DATASET_FILE_INVALID", "STORAGE_CHECKSUM_MISMATCH"]);
const retryAfterMs = 2000;

/**
 * Makes a version of a whole upload, in one transaction with the end of the upload. It goes on when the caller goes away, and a
 * later call answers what came of it.
 * @throws AppError `DATASET_UPLOAD_INCOMPLETE`, `DATASET_UPLOAD_BUSY`, and what `uploadFile` throws.
 */
export async function completeUpload(
  ports: DatasetPorts,
  { dataset, address }: { readonly dataset: DatasetRow; readonly address: UploadAddress },
  onCommit: OnCommit,
): Promise<CompletedUpload> {
  const { queries } = ports.database;
  await getUpload(queries, address);
  const claim = { id: address.id, claimId: createId() };
  const until = sql`now() + ${ports.uploads.leaseMs / 1000} * interval '1 second'`;
  const upload = await claimUpload(queries, { ...claim, until });
  if (upload === undefined) return answerAgain(ports, dataset, await getUpload(queries, address));
  const renew = () => updateClaimed(queries, claim, { claimedUntil: until }).catch(() => undefined);
  const beat = setInterval(() => void renew(), ports.uploads.leaseMs / 4).unref();
  try {
    return await makeVersion(ports, { dataset, upload, claim }, onCommit);
  } catch (error) {
    await giveUp(ports, { upload, claim }, error).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(beat);
  }
}

interface Claimed {
  readonly upload: UploadRow;
  readonly claim: { readonly id: string; readonly claimId: string };
}

async function makeVersion(
  ports: DatasetPorts,
  { dataset, upload, claim }: Claimed & { readonly dataset: DatasetRow },
  onCommit: OnCommit,
): Promise<CompletedUpload> {
  const { name: fileName, mode, layout, userId, size: sizeBytes, sha256 } = upload;
  let finishRemoval = async (): Promise<void> => {};
  const { version, validation } = await uploadFile(ports, dataset, {
    fileName,
    mode,
    layout: layout ?? undefined,
    body: readPieces(ports, upload),
    expected: { sizeBytes, ...(sha256 !== null && { sha256 }) },
    userId,
    onCommit: async (tx, made, { report }) => {
      const change = { state: "completed", versionNo: made.versionNo, report, claimedUntil: null } as const;
      if (!(await updateClaimed(tx, claim, change))) throw busy();
      const removal = await removePieces(tx, ports.storage, upload);
      finishRemoval = () => removal.finish();
      await onCommit(tx, made);
    },
  });
  await finishRemoval();
  return { version, report: validation };
}

async function* readPieces({ database, storage }: DatasetPorts, { id, tenantId }: UploadRow) {
  for (const fileId of await selectPieces(database.queries, id)) {
    const { stream } = await storage.openFile(database.queries, { tenantId, fileId });
    yield* stream as AsyncIterable<Uint8Array>;
  }
}

/** Remembers why a file will never be taken, or lets somebody try again. */
async function giveUp({ database, storage }: DatasetPorts, { upload, claim }: Claimed, error: unknown): Promise<void> {
  if (!(error instanceof AppError && finalReasons.has(error.reason))) {
    await updateClaimed(database.queries, claim, { claimedUntil: null });
    return;
  }
  const { reason, details } = error;
  const { detail, violations } = details;
  const problem: KeptProblem = { reason, ...(detail && { detail }), ...(violations && { violations }) };
  const removal = await database.transaction(async (tx) => {
    const isOurs = await updateClaimed(tx, claim, { state: "failed", problem, claimedUntil: null });
    return isOurs ? removePieces(tx, storage, upload) : undefined;
  });
  await removal?.finish();
}

async function answerAgain(
  { database }: DatasetPorts,
  { id }: DatasetRow,
  upload: UploadRow,
): Promise<CompletedUpload> {
  const { state, versionNo, report, problem, received, size } = upload;
  if (state === "completed" && versionNo !== null && report !== null) {
    return { version: await getVersion(database.queries, id, versionNo), report };
  }
  if (state === "failed" && problem !== null) throw toError(problem);
  if (received < size) {
    throw new AppError("DATASET_UPLOAD_INCOMPLETE", { detail: `${received} of ${size} bytes have come.` });
  }
  throw busy();
}

const busy = (): AppError => new AppError("DATASET_UPLOAD_BUSY", { retryAfterMs });

/** The failure as it was thrown. */
export const toError = ({ reason, ...details }: KeptProblem): AppError =>
  new AppError(reason as AppError["reason"], details);
