import type { Secret } from "@attune/service-kit/secret.ts";

const maxLength = 300;
const fragmentLength = 6;

/**
 * A message of an API that may be shown: one line, cut, and without any part of the secret that is six characters or longer,
 * because APIs repeat the key they were given, whole or shortened.
 */
export function redact(message: string, secret: Secret | undefined): string {
  const line = message
    // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ")
    .slice(0, maxLength * 4);
  const safe = secret === undefined ? line : withoutSecret(line, secret.reveal());
  const shown = safe.trim();
  return shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown;
}

function withoutSecret(line: string, secret: string): string {
  if (secret.length <= fragmentLength) return line.replaceAll(secret, "[secret]");
  const fragments = new Set<string>();
  for (let at = 0; at + fragmentLength <= secret.length; at++) fragments.add(secret.slice(at, at + fragmentLength));
  let safe = "";
  let at = 0;
  while (at < line.length) {
    const from = at;
    while (fragments.has(line.slice(at, at + fragmentLength))) at++;
    if (at > from) {
      safe += "[secret]";
      at += fragmentLength - 1;
    } else safe += line[at++];
  }
  return safe;
}
