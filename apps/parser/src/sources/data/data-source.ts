import { AppError } from "@attune/service-kit/app-error.ts";
import type { FileSource } from "../file-source.ts";
import { parseDataUrl } from "./parse-data-url.ts";

export interface DataSourceSettings {
  /** Largest file that a data URL may carry, decoded. */
  readonly maxBytes: number;
}

/** Files carried in the URL itself (RFC 2397). */
export function createDataSource({ maxBytes }: DataSourceSettings): FileSource {
  return {
    schemes: ["data"],
    open: async (url, signal) => {
      signal.throwIfAborted();
      // Even three characters for each byte, as percent-encoding has, are more than the limit.
      if (url.length > maxBytes * 3 + 4096) throw tooLarge(maxBytes);
      const { bytes, ...rest } = parseDataUrl(url);
      if (bytes.length > maxBytes) throw tooLarge(maxBytes);
      return { ...rest, stream: toStream(bytes), sizeBytes: bytes.length };
    },
  };
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("FILE_TOO_LARGE", { detail: `A data URL may carry ${maxBytes} bytes.` });
}
