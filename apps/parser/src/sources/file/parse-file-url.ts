import { fileURLToPath } from "node:url";
import { AppError } from "@attune/service-kit/app-error.ts";
import { maxUrlLength } from "../../outbound/judge-url.ts";

/**
 * The absolute, normalised path of a file URL (RFC 8089).
 * @throws AppError `FILE_URL_INVALID` for another host, escaped slashes, NUL, and whatever parsers disagree about.
 */
export function parseFileUrl(text: string): string {
  if (text.length > maxUrlLength) throw invalid(`It is longer than ${maxUrlLength} characters.`);
  if (/\p{Cc}/u.test(text) || /%00/.test(text)) throw invalid("It has control characters.");
  if (text.includes("\\")) throw invalid("It has a backslash.");
  if (/[?#]/.test(text)) throw invalid("It has `?` or `#`; write them as %3F and %23.");
  if (!/^file:\/\/(?:localhost)?\/(?!\/)/i.test(text)) throw invalid("A file URL is `file:///` and an absolute path.");
  try {
    return fileURLToPath(text);
  } catch (error) {
    throw invalid("Its path is not well encoded.", error);
  }
}

function invalid(detail: string, cause?: unknown): AppError {
  return new AppError("FILE_URL_INVALID", { detail }, cause);
}
