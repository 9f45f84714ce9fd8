const allowedSchemes = new Set([
  "http",
  "https",
  "mailto",
  "tel",
  "ftp",
  "ftps",
  "sftp",
  "doi",
  "urn",
  "file",
  "sip",
  "sms",
  "geo",
  "news",
  "xmpp",
  "irc",
  "ircs",
  "git",
  "ssh",
  "magnet",
]);

/**
 * Whether a link may go there: a place in this document, a relative address, or a scheme that names a resource and runs
 * nothing. `javascript:`, `vbscript:`, `data:` and schemes nobody knows are not.
 */
export function isSafeTarget(target: string): boolean {
  // Browsers skip control characters and spaces before and inside a scheme.
  const compact = target.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, "");
  if (compact === "") return false;
  const scheme = /^([^/?#:]*):/.exec(compact)?.[1];
  return scheme === undefined || allowedSchemes.has(scheme.toLowerCase());
}
