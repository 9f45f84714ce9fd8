import type { OutboundRequest } from "./outbound-http.ts";

export interface EncodedBody {
  readonly body?: Uint8Array | string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A body as it travels: a form becomes bytes with a known length and its boundary in the type, so it can be sent twice. */
export async function encodeBody({ body, headers }: Pick<OutboundRequest, "body" | "headers">): Promise<EncodedBody> {
  const given = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  if (body === undefined) return { headers: given };
  if (!(body instanceof FormData)) return { body, headers: given };
  const encoded = new Response(body);
  const contentType = encoded.headers.get("content-type") ?? "multipart/form-data";
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers: { ...given, "content-type": contentType } };
}
