import { AppError } from "@attune/service-kit/app-error.ts";
import type { SourceAnswer } from "../download/source-http.ts";

/** What a hub says in `X-Error-Code`; undefined where it says no more than its status. */
export function explainHubAnswer({ status, headers, host }: SourceAnswer): AppError | undefined {
  const code = headers["x-error-code"] ?? "";
  const missing = missingDetails[code];
  if (missing !== undefined) return new AppError("CACHE_SOURCE_NOT_FOUND", { detail: `${host} ${missing}.` });
  if (code === "GatedRepo") {
    return new AppError("CACHE_SOURCE_DENIED", { detail: `${host} gives it to those who accepted its terms only.` });
  }
  if (status !== 401) return undefined;
  return new AppError("CACHE_SOURCE_DENIED", { detail: `${host} does not know the token, or wants one.` });
}

const missingDetails: Readonly<Record<string, string>> = {
  RepoNotFound: "has no such repository, or only for a token that may know of it",
  RevisionNotFound: "has no such revision of it",
  EntryNotFound: "has no such file in it",
};
