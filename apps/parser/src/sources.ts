import type { StreamingHttp } from "./outbound/outbound-http.ts";
import { createDataSource, type DataSourceSettings } from "./sources/data/data-source.ts";
import type { FileSource } from "./sources/file-source.ts";
import { createLocalFileSource, type LocalFileSourceSettings } from "./sources/file/local-file-source.ts";
import { createHttpSource, type HttpSourceSettings } from "./sources/http/http-source.ts";
import { createS3Source, type S3SourceSettings } from "./sources/s3/s3-source.ts";

export interface SourcesSettings {
  readonly http: HttpSourceSettings;
  readonly s3: S3SourceSettings;
  readonly file: LocalFileSourceSettings;
  readonly data: DataSourceSettings;
}

/** Every kind of place that files are read from. */
export function createSources(
  settings: SourcesSettings,
  deps: { readonly http: StreamingHttp },
): readonly FileSource[] {
  return [
    createHttpSource(settings.http, deps),
    createS3Source(settings.s3),
    createLocalFileSource(settings.file),
    createDataSource(settings.data),
  ];
}
