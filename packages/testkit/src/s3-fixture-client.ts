import { request as sendHttp } from "node:http";
import type { S3Fixture } from "./s3-fixture.ts";
import { signedHeadersOf, type SigningKey } from "./s3-fixture-signature.ts";

/** The few calls that set a test up, made by hand so that they share nothing with the client that is tested. */
export function createSetupCalls(endpoint: string, key: SigningKey): Pick<S3Fixture, "createBucket" | "putObject"> {
  return {
    createBucket: (bucket) => put(endpoint, { path: `/${bucket}`, body: "" }, key),
    putObject: ({ bucket, key: name }, { body, contentType }) => {
      const path = `/${bucket}/${name.split("/").map(escapeSegment).join("/")}`;
      return put(endpoint, { path, body, ...(contentType !== undefined && { contentType }) }, key);
    },
  };
}

interface Put {
  readonly path: string;
  readonly body: Uint8Array | string;
  readonly contentType?: string;
}

// Not `fetch`: it would resolve `..` in the path.
function put(endpoint: string, { path, body, contentType }: Put, key: SigningKey): Promise<void> {
  const { hostname, port, host } = new URL(endpoint);
  const headers = {
    ...signedHeadersOf({ method: "PUT", url: path, host }, key),
    "content-length": String(Buffer.byteLength(body)),
    ...(contentType !== undefined && { "content-type": contentType }),
  };
  return new Promise((resolve, reject) => {
    const request = sendHttp({ hostname, port, path, method: "PUT", headers }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`PUT ${path}: status ${response.statusCode}`));
    });
    request.once("error", reject);
    request.end(body);
  });
}

function escapeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
