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
  const names = [...signedHeaders].sort();
  const signature = signatureOf(request, { names, time, payload: headers["x-amz-content-sha256"] ?? "" }, key);
  const credential = `${key.accessKeyId}/${scopeOf(time, key)}`;
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
}

/** Why a request must be refused, as the code of S3; undefined when it is rightly signed, in a header or in its address. */
export function findSignatureFault(request: SignedRequest, key: SigningKey): string | undefined {
  return request.url.includes("X-Amz-Signature=") ? findLinkFault(request, key) : findHeaderFault(request, key);
}

function findHeaderFault(request: SignedRequest, key: SigningKey): string | undefined {
  const { authorization = "" } = request.headers;
  const match = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/[^,]+, ?SignedHeaders=([^,]+), ?Signature=/.exec(authorization);
  const [, accessKeyId = "", names = ""] = match ?? [];
  if (match === null) return "AccessDenied";
  if (accessKeyId !== key.accessKeyId) return "InvalidAccessKeyId";
  const expected = signS3Request(request, names.split(";"), key);
  return expected.replaceAll(" ", "") === authorization.replaceAll(" ", "") ? undefined : "SignatureDoesNotMatch";
}

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
function findLinkFault(request: SignedRequest, key: SigningKey): string | undefined {
  const [path = "", search = ""] = request.url.split("?");
  const query = new URLSearchParams(search);
  const [time, names] = [query.get("X-Amz-Date") ?? "", (query.get("X-Amz-SignedHeaders") ?? "").split(";")];
  if (query.get("X-Amz-Credential")?.split("/")[0] !== key.accessKeyId) return "InvalidAccessKeyId";
  const unsigned = search.split("&").filter((pair) => !pair.startsWith("X-Amz-Signature="));
  const payload = query.get("X-Amz-Content-Sha256") ?? "UNSIGNED-PAYLOAD";
  const given = { ...request, url: `${path}?${unsigned.join("&")}` };
  if (signatureOf(given, { names, time, payload }, key) !== query.get("X-Amz-Signature"))
    return "SignatureDoesNotMatch";
  const startsAtMs = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  return Date.now() < startsAtMs + Number(query.get("X-Amz-Expires")) * 1000 ? undefined : "AccessDenied";
}

interface Signing {
  /** Of the headers that are signed, in order. */
  readonly names: readonly string[];
  readonly time: string;
  readonly payload: string;
}

function signatureOf({ method, url, headers }: SignedRequest, { names, time, payload }: Signing, key: SigningKey) {
  const [path = "", query = ""] = url.split("?");
  const canonical = [
    method,
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
    payload,
  ].join("\n");
  const scope = scopeOf(time, key);
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const dayKey = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${key.secretAccessKey}`);
  return hmac(dayKey, text).toString("hex");
}

const scopeOf = (time: string, { region }: SigningKey): string => `${time.slice(0, 8)}/${region}/s3/aws4_request`;

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
