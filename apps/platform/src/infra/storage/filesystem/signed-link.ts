import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type { SignedLink } from "../object-store.ts";

/** Where the platform serves links, below its own address. */
export const linkPath = "/api/v1/storage/links/";

/** What a link lets its holder do. */
export interface LinkGrant {
  readonly method: "GET" | "PUT";
  readonly key: string;
  readonly expiresAt: Date;
  readonly fileName?: string;
  readonly mediaType?: string;
  /** Of a PUT: exactly what must come. */
  readonly sizeBytes?: number;
}

export interface LinkSigner {
  sign(grant: LinkGrant): SignedLink;
  /**
   * What the address of a request grants; HEAD counts as GET.
   * @throws AppError `STORAGE_LINK_INVALID` when any letter of it was changed, or its time is over.
   */
  verify(method: string, url: string): LinkGrant;
}

interface SignerDeps {
  /** Address of the platform, as browsers reach it. */
  readonly publicUrl: string;
  readonly secret: Secret;
  readonly nowMs: () => number;
}

/** Links with an HMAC-SHA256 over everything they grant. Who has the secret can make links to any object. */
export function createLinkSigner({ publicUrl, secret, nowMs }: SignerDeps): LinkSigner {
  const signatureOf = (grant: LinkGrant) =>
    createHmac("sha256", secret.reveal()).update(toSignedText(grant)).digest("base64url");
  return {
    sign: (given) => {
      const grant = { ...given, expiresAt: new Date(Math.ceil(given.expiresAt.getTime() / 1000) * 1000) };
      const query = new URLSearchParams({ ...toQuery(grant), signature: signatureOf(grant) });
      const path = grant.key.split("/").map(encodeURIComponent).join("/");
      return {
        url: `${publicUrl.replace(/\/+$/, "")}${linkPath}${path}?${query.toString()}`,
        expiresAt: grant.expiresAt,
      };
    },
    verify: (method, url) => {
      const { grant, signature } = parseLink(method, url);
      if (!isEqual(signature, signatureOf(grant)) || grant.expiresAt.getTime() <= nowMs()) {
        throw new AppError("STORAGE_LINK_INVALID");
      }
      return grant;
    },
  };
}

function toQuery({ expiresAt, fileName, mediaType, sizeBytes }: LinkGrant): Record<string, string> {
  return {
    expires: String(expiresAt.getTime() / 1000),
    ...(fileName !== undefined && { file_name: fileName.toWellFormed() }),
    ...(mediaType !== undefined && { media_type: mediaType }),
    ...(sizeBytes !== undefined && { size_bytes: String(sizeBytes) }),
  };
}

// JSON keeps the fields apart, whatever they hold; the first names what is signed, so that no other signature fits.
function toSignedText(grant: LinkGrant): string {
  const { expires, file_name = null, media_type = null, size_bytes = null } = toQuery(grant);
  return JSON.stringify(["attune storage link 1", grant.method, grant.key, expires, file_name, media_type, size_bytes]);
}

function parseLink(method: string, url: string): { readonly grant: LinkGrant; readonly signature: string } {
  const [path = "", search = ""] = url.split("?", 2);
  const at = path.indexOf(linkPath);
  const query = new URLSearchParams(search);
  const [fileName, mediaType, size] = [query.get("file_name"), query.get("media_type"), query.get("size_bytes")];
  const expiresAt = new Date(Number(query.get("expires")) * 1000);
  if (at < 0 || Number.isNaN(expiresAt.getTime())) throw new AppError("STORAGE_LINK_INVALID");
  const grant: LinkGrant = {
    method: method === "PUT" ? "PUT" : "GET",
    key: decodeKey(path.slice(at + linkPath.length)),
    expiresAt,
    ...(fileName !== null && { fileName }),
    ...(mediaType !== null && { mediaType }),
    ...(size !== null && { sizeBytes: Number(size) }),
  };
  return { grant, signature: query.get("signature") ?? "" };
}

function decodeKey(path: string): string {
  try {
    return path.split("/").map(decodeURIComponent).join("/");
  } catch (error) {
    throw new AppError("STORAGE_LINK_INVALID", {}, error);
  }
}

function isEqual(left: string, right: string): boolean {
  const [leftBytes, rightBytes] = [Buffer.from(left), Buffer.from(right)];
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}
