/** An S3 server on loopback, for tests. */
export interface S3Fixture extends AsyncDisposable {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  createBucket(bucket: string): Promise<void>;
  putObject(address: { readonly bucket: string; readonly key: string }, object: S3Object): Promise<void>;
}

export interface S3Object {
  readonly body: Uint8Array | string;
  readonly contentType?: string;
}
