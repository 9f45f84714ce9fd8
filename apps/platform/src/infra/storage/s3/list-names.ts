import type { ListOptions } from "../object-store.ts";
import type { S3Connection } from "./s3-connection.ts";

export interface NamedObject {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

interface NameSearch extends ListOptions {
  readonly prefix: string;
}

/** Objects of the bucket whose name starts with `prefix`, page by page. `startAfter` is a name. */
export async function* listNames(connection: S3Connection, search: NameSearch): AsyncGenerator<NamedObject> {
  const { prefix, startAfter, pageSize = 1_000, signal } = search;
  const { sdk, bucket } = connection;
  const first = {
    ...bucket,
    Prefix: prefix,
    MaxKeys: pageSize,
    ...(startAfter !== undefined && { StartAfter: startAfter }),
  };
  let token: string | undefined;
  do {
    const list = new sdk.ListObjectsV2Command({ ...first, ...(token !== undefined && { ContinuationToken: token }) });
    const page = await connection.call((s3) => s3.send(list), signal);
    for (const { Key = "", Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
      yield { name: Key, sizeBytes: Size, modifiedAt: LastModified };
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}
