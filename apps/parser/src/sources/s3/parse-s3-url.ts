import { AppError } from "@attune/service-kit/app-error.ts";
import { maxUrlLength } from "../../outbound/judge-url.ts";

export interface S3Address {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Reads `s3://bucket/key`. The key is taken letter by letter as S3 stores it, never decoded or normalised: `%20`, `?`, `#`
 * and `..` are parts of keys like any other.
 * @throws AppError `FILE_URL_INVALID`
 */
export function parseS3Url(text: string): S3Address {
  if (text.length > maxUrlLength) throw invalid(`It is longer than ${maxUrlLength} characters.`);
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) throw invalid("It has control characters or broken ones.");
  const match = /^s3:\/\/(?<bucket>[^/]*)\/(?<key>.*)$/i.exec(text);
  const { bucket = "", key = "" } = match?.groups ?? {};
  // Names of today, and those that S3 gave before 2018 (upper case, underscores).
  if (!/^[a-z0-9][\w.-]{1,253}[a-z0-9]$/i.test(bucket)) throw invalid("An S3 URL is s3://bucket/key.");
  if (key === "") throw invalid("The S3 URL has no key after the bucket.");
  if (Buffer.byteLength(key) > 1024) throw invalid("The key of the S3 URL is longer than 1024 bytes.");
  return { bucket, key };
}

function invalid(detail: string): AppError {
  return new AppError("FILE_URL_INVALID", { detail });
}
