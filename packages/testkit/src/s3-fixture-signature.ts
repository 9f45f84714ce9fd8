import { createHash, createHmac } from "node:crypto";

export interface SignedRequest {
  readonly method: string;
  /** Path and query exactly as they travel. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/**
 * The Authorization header that AWS Signature Version 4 asks of a request to S3, over the headers named.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signS3Request(request: SignedRequest, signedHeaders: readonly string[], key: SigningKey): string {
  const { headers } = request;
  const time = headers["x-amz-date"] ?? "";
  const scope = `${time.slice(0, 8)}/${key.region}/s3/aws4_request`;
  const names = [...signedHeaders].sort();
  const [path = "", query = ""] = request.url.split("?");
  const canonical = [
    request.method,
    path,
    query
      .split("&")
      .filter(Boolean)
      .map((pair) => (pair.includes("=") ? pair : `${pair}=`))
      .sort()
      .join("&"),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}`),
    "",
    names.join(";"),
    headers["x-amz-content-sha256"] ?? "",
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const dayKey = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${key.secretAccessKey}`);
  const signature = hmac(dayKey, text).toString("hex");
  const credential = `${key.accessKeyId}/${scope}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** The headers of a request signed by this process. */
export function signedHeadersOf(request: Omit<SignedRequest, "headers"> & { readonly host: string }, key: SigningKey) {
  const headers = {
    host: request.host,
    "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
    "x-amz-date": new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ""),
  };
  return { ...headers, authorization: signS3Request({ ...request, headers }, Object.keys(headers), key) };
}
