import { AppError } from "@attune/service-kit/app-error.ts";
import type { FileSource, OpenedFile } from "../sources/file-source.ts";
import type { Spool, SpooledFile } from "../spool/spool.ts";

/** A fetched file with what came along with it; disposing it removes every trace. */
export interface FetchedFile extends SpooledFile {
  readonly mediaType?: string;
  readonly charset?: string;
  readonly fileName?: string;
}

/** @throws AppError with a reason of fetching. */
export type FetchFile = (url: string, signal: AbortSignal) => Promise<FetchedFile>;

export interface FetchFileDeps {
  readonly sources: readonly FileSource[];
  readonly spool: Spool;
  /** For the whole fetch. */
  readonly timeoutMs: number;
}

/** Finds the source of a URL by its scheme and brings the file into the spool, within the limits. */
export function createFetchFile({ sources, spool, timeoutMs }: FetchFileDeps): FetchFile {
  return async (url, signal) => {
    const source = findSource(url, sources);
    const timeout = AbortSignal.timeout(timeoutMs);
    const bounded = AbortSignal.any([signal, timeout]);
    try {
      const opened = await source.open(url, bounded);
      return describe(await spool.store(opened, bounded), opened);
    } catch (error) {
      if (timeout.aborted && !signal.aborted) {
        throw new AppError("FETCH_TIMEOUT", { detail: `It took more than ${timeoutMs} ms.` }, error);
      }
      throw error;
    }
  };
}

function findSource(url: string, sources: readonly FileSource[]): FileSource {
  const scheme = /^([a-z][a-z0-9+.-]{0,15}):/i.exec(url)?.[1]?.toLowerCase();
  const source = sources.find(({ schemes }) => scheme !== undefined && schemes.includes(scheme));
  if (source !== undefined) return source;
  const known = sources.flatMap(({ schemes }) => schemes).join(", ");
  const told = scheme === undefined ? "It has no scheme." : `Its scheme is \`${scheme}\`.`;
  throw new AppError("FILE_URL_INVALID", {
    detail: url === "" ? "It is empty." : `${told} The schemes are: ${known}.`,
  });
}

function describe(file: SpooledFile, { mediaType, charset, fileName }: OpenedFile): FetchedFile {
  return Object.assign(file, {
    ...(mediaType !== undefined && { mediaType }),
    ...(charset !== undefined && { charset }),
    ...(fileName !== undefined && { fileName }),
  });
}
