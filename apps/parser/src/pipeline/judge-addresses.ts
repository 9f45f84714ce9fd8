import { AppError, type Reason } from "@attune/service-kit/app-error.ts";

/**
 * Whether this service may connect to a URL: resolves its name and judges every address.
 * @throws AppError `FETCH_REFUSED`; `FILE_URL_INVALID`; `FETCH_FAILED`, `FETCH_TIMEOUT` when the name cannot be resolved.
 */
export type JudgeUrl = (url: string, signal: AbortSignal) => Promise<void>;

const judgements: ReadonlySet<Reason> = new Set(["FETCH_REFUSED", "FILE_URL_INVALID", "FETCH_FAILED", "FETCH_TIMEOUT"]);

/** Refuses overrides that would make an engine connect to where `file_url` may not lead. */
export async function judgeAddresses(
  addresses: ReadonlyMap<string, string>,
  judgeUrl: JudgeUrl,
  signal: AbortSignal,
): Promise<void> {
  for (const [key, url] of addresses) {
    try {
      await judgeUrl(url, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof AppError && judgements.has(error.reason) ? inOverride(key, error) : error;
    }
  }
}

// What it says of a refusal may tell what lies inside the network.
function inOverride(key: string, error: AppError): AppError {
  const why = error.reason === "FETCH_REFUSED" ? undefined : error.details.detail;
  const detail = [why, `It stands in the override \`${key}\`.`].filter(Boolean).join(" ");
  return new AppError(error.reason, { detail }, error);
}
