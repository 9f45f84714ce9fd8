import { AppError } from "@attune/service-kit/app-error.ts";

/** Whether this service may connect to a URL: resolves its name and judges every address. @throws AppError `FETCH_REFUSED`. */
export type JudgeUrl = (url: string, signal: AbortSignal) => Promise<void>;

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
      throw new AppError("FETCH_REFUSED", { detail: `It stands in the override \`${key}\`.` }, error);
    }
  }
}
