import { toFileName } from "../to-file-name.ts";

/**
 * The name of a file that came over HTTP: `filename*` of Content-Disposition (RFC 6266, RFC 8187), else `filename`, else
 * the last part of the URL's path.
 */
export function findFileName(contentDisposition: string | undefined, url: string): string | undefined {
  const header = contentDisposition ?? "";
  return findExtended(header) ?? findPlain(header) ?? findInPath(url);
}

function findExtended(header: string): string | undefined {
  const match = /;\s*filename\*\s*=\s*([\w!#$&+.^`|~{}-]+)'[^']*'([^;\s]+)/i.exec(`;${header}`);
  const [, charset = "", encoded = ""] = match ?? [];
  if (encoded === "" || !/^(?:utf-8|iso-8859-1)$/i.test(charset)) return undefined;
  const bytes = percentDecode(encoded);
  const text = /^utf-8$/i.test(charset) ? decodeUtf8(bytes) : Buffer.from(bytes).toString("latin1");
  return text === undefined ? undefined : toFileName(text);
}

function findPlain(header: string): string | undefined {
  const match = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"\s]+))/i.exec(`;${header}`);
  const raw = match?.[1]?.replaceAll(/\\(.)/g, "$1") ?? match?.[2];
  if (raw === undefined) return undefined;
  const text = repairUtf8(raw);
  return toFileName(/%[0-9a-f]{2}/i.test(text) ? (decodeUtf8(percentDecode(text)) ?? text) : text);
}

function findInPath(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
  return toFileName(decodeUtf8(percentDecode(last)) ?? last);
}

// Header bytes arrive as Latin-1; many servers put UTF-8 there although no standard says so.
function repairUtf8(text: string): string {
  const isLatin1 = /[\u0080-\u00ff]/.test(text) && !/[^\u0020-\u00ff]/.test(text);
  return isLatin1 ? (decodeUtf8(Buffer.from(text, "latin1")) ?? text) : text;
}

function percentDecode(text: string): Uint8Array {
  const parts = text.split(/(%[0-9a-f]{2})/i);
  return Buffer.concat(
    parts.map((part) => (/^%[0-9a-f]{2}$/i.test(part) ? Buffer.from(part.slice(1), "hex") : Buffer.from(part, "utf8"))),
  );
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
