import type { CacheSourceRequest } from "@attune/contracts/compute/cache-api.ts";
import type { CacheSource } from "../cache-source.ts";
import { openHttpFile } from "../download/open-http-file.ts";
import { hostOf, parseSourceUrl } from "../download/parse-source-url.ts";
import type { SourceHttp } from "../download/source-http.ts";
import { fingerprint } from "./fingerprint.ts";

type FilesRequest = Extract<CacheSourceRequest, { type: "files" }>;

/**
 * Files by their addresses, with the sizes and checksums that they must have. Two requests want the same when these are the
 * same, whatever the addresses: presigned links are new each time.
 * @throws AppError `CACHE_URL_INVALID`
 */
export function createFilesSource({ files, revision }: FilesRequest, http: SourceHttp): CacheSource {
  const hosts = new Set(files.map(({ url }) => hostOf(parseSourceUrl(url))));
  const wanted = files
    .map(({ path, size_bytes, checksum_sha256 }) => [path, size_bytes, checksum_sha256])
    .sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
  const hash = fingerprint({ type: "files", files: wanted, revision });
  return {
    type: "files",
    name: `${files.length} files from ${[...hosts].slice(0, 3).join(", ")}`,
    fingerprint: hash,
    suggestedKey: `files-${hash.slice(0, 32)}`,
    list: async () => ({
      revision: revision ?? null,
      files: files.map((file) => ({
        path: file.path,
        sizeBytes: file.size_bytes,
        sha256: file.checksum_sha256,
        open: (part, signal) =>
          openHttpFile({ http, request: { url: file.url }, sizeBytes: file.size_bytes }, part, signal),
      })),
    }),
  };
}
