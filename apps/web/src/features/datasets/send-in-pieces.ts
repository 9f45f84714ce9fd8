import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import type { DatasetUpload } from "@attune/contracts/rest/dataset-uploads.ts";

/** What is kept of an upload, and what is asked of the platform. */
export interface PieceCalls<Answer> {
  /** The one that was begun for this file before, else a new one. */
  readonly begin: () => Promise<DatasetUpload>;
  readonly read: (uploadId: string) => Promise<DatasetUpload>;
  /** Sends the bytes from an offset on, as many as one request takes. */
  readonly append: (uploadId: string, offset: number) => Promise<DatasetUpload>;
  readonly complete: (uploadId: string) => Promise<Answer>;
}

export interface PieceProgress {
  /** Bytes that the platform keeps; undefined while the connection is lost. */
  readonly tell: (keptBytes: number | undefined) => void;
  readonly wait: (delayMs: number) => Promise<void>;
}

/** Failures in a row after which the user is asked: about five minutes. */
const maxFailures = 16;
const firstDelayMs = 500;
const maxDelayMs = 30_000;
const pollMs = 1000;

/**
 * Sends a file piece by piece, and goes on where the platform says when the connection breaks or stands still.
 * @throws ProblemError for what another attempt cannot mend, or when the connection stays away.
 */
export async function sendInPieces<Answer>(calls: PieceCalls<Answer>, { tell, wait }: PieceProgress): Promise<Answer> {
  const again = <T>(work: () => Promise<T>): Promise<T> => retry(work, { tell, wait });
  let upload = await again(calls.begin);
  while (upload.offset < upload.size) {
    tell(upload.offset);
    upload = await again(async () => {
      try {
        return await calls.append(upload.id, upload.offset);
      } catch (error) {
        if (!isPassing(error)) throw error;
        // Only the platform knows how much has arrived; a connection that breaks often comes to an end nevertheless.
        const { offset } = upload;
        upload = await calls.read(upload.id);
        if (upload.offset > offset) return upload;
        throw error;
      }
    });
  }
  tell(upload.size);
  return again(() => finish(calls, upload.id, wait));
}

/** Completing goes on when the connection breaks: the platform is asked until it is done. */
async function finish<Answer>(
  calls: PieceCalls<Answer>,
  uploadId: string,
  wait: PieceProgress["wait"],
): Promise<Answer> {
  while ((await calls.read(uploadId)).state === "completing") await wait(pollMs);
  return calls.complete(uploadId);
}

async function retry<T>(work: () => Promise<T>, { tell, wait }: PieceProgress): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || failures === maxFailures) throw error;
      tell(undefined);
      await wait(Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1)));
    }
  }
}

const passingReasons = new Set(["DATASET_UPLOAD_OFFSET_WRONG", "DATASET_UPLOAD_BUSY", "RATE_LIMITED"]);

/** Whether it may go away: no connection, a gateway or platform that is not there now, or bytes that came meanwhile. */
const isPassing = (error: unknown): boolean =>
  error instanceof ProblemError &&
  (error.problem.status === 0 || error.problem.status >= 500 || passingReasons.has(error.problem.reason));
