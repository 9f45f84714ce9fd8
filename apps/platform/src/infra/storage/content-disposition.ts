/**
 * The header that makes a browser save a file under this name instead of showing it (RFC 6266, RFC 8187). Any text does:
 * folders, control characters and what turns the direction of writing are left out, and old browsers get the name in ASCII.
 */
export function toContentDisposition(fileName: string): string {
  const name = toSafeName(fileName);
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const escaped = encodeURIComponent(name).replaceAll(/['()*]/g, escapeChar);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${escaped}`;
}

/** The name as a file of any system may have it; never empty. */
export function toSafeName(fileName: string): string {
  const name = fileName
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu, "")
    .replaceAll(/[/\\:*?"<>|]/g, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  return name === "" ? "download" : shorten(name);
}

// File systems take 255 bytes; what follows the last dot tells programs what the file is.
function shorten(name: string): string {
  const [extension = ""] = /\.[\w-]{1,15}$/.exec(name) ?? [];
  let stem = Array.from(name.slice(0, name.length - extension.length));
  while (Buffer.byteLength(stem.join("")) + extension.length > 200) stem = stem.slice(0, -1);
  return `${stem.join("")}${extension}`;
}

const escapeChar = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
