/**
 * Reports the attributes in the raw text of a tag, values as they are written. Linear in the text whatever it holds; what
 * has no quoted value is passed over.
 */
export function scanAttributes(raw: string, take: (name: string, rawValue: string) => void): void {
  let at = 0;
  while (at < raw.length) {
    const nameAt = skipSpace(raw, at);
    const nameEnd = endOfName(raw, nameAt);
    if (nameEnd === nameAt) {
      at = nameAt + 1;
      continue;
    }
    at = skipSpace(raw, nameEnd);
    if (raw.charCodeAt(at) !== equalsSign) continue;
    at = skipSpace(raw, at + 1);
    if (!isQuote(raw.charCodeAt(at))) continue;
    const closingAt = raw.indexOf(raw[at] as string, at + 1);
    if (closingAt === -1) return;
    take(raw.slice(nameAt, nameEnd), raw.slice(at + 1, closingAt));
    at = closingAt + 1;
  }
}

const equalsSign = 0x3d;

function skipSpace(raw: string, from: number): number {
  let at = from;
  while (at < raw.length && isXmlSpace(raw.charCodeAt(at))) at++;
  return at;
}

function endOfName(raw: string, from: number): number {
  let at = from;
  for (; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code === equalsSign || isXmlSpace(code)) break;
  }
  return at;
}

/** White space of XML 1.0, production 3. */
export function isXmlSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}

export function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27;
}
