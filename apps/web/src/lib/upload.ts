import { type CallInput, ProblemError } from "@attune/contracts/rest/create-client.ts";
import type { ResultOf, RouteContract } from "@attune/contracts/rest/define-route.ts";
import { createApi } from "./api.ts";
import { sendByXhr } from "./send-by-xhr.ts";

const stallTimeoutMs = 120_000;

/**
 * Sends a file with the token and tells its progress in bytes. Gives up after 120 seconds without progress.
 * @throws ProblemError, `UPLOAD_STALLED` among them; AbortError when `signal` is aborted.
 */
export async function upload<R extends RouteContract>(
  route: R,
  input: CallInput<R>,
  onProgress: (sentBytes: number) => void,
): Promise<ResultOf<R>> {
  try {
    return (await createApi(sendByXhr({ onProgress, stallTimeoutMs })).call(route, input)).body;
  } catch (error) {
    // The client takes whatever its way of sending throws for a platform that is not there.
    throw error instanceof ProblemError && error.cause instanceof ProblemError ? error.cause : error;
  }
}
