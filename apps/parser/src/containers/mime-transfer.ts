/** Takes off a Content-Transfer-Encoding; `7bit`, `8bit`, `binary` and unknown ones leave the bytes as they are. */
export function decodeTransfer(body: Buffer, encoding: string): Uint8Array {
  const name = /[\w-]+/.exec(encoding)?.[0]?.toLowerCase() ?? "";
  if (name === "base64") return decodeBase64(body);
  if (name === "quoted-printable") return decodeQuotedPrintable(body);
  return /^(?:x-)?uu(?:encode)?$/.test(name) ? decodeUuencoded(body) : body;
}

// Some mailers pad every line, and Node stops at the first padding.
function decodeBase64(body: Buffer): Buffer {
  const text = body.toString("latin1").replace(/[^A-Za-z0-9+/=]+/g, "");
  if (/^[^=]*={0,3}$/.test(text)) return Buffer.from(text, "base64");
  return Buffer.concat(text.split(/=+/).map((unit) => Buffer.from(unit, "base64")));
}

const equals = 0x3d;

// RFC 2045 6.7: `=XX` is a byte, `=` at the end of a line joins it to the next; anything else is as it stands.
function decodeQuotedPrintable(body: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  let at = 0;
  while (at < body.length) {
    const byte = body[at] as number;
    if (byte !== equals) {
      decoded[length++] = byte;
      at++;
      continue;
    }
    const value = hexByte(body[at + 1], body[at + 2]);
    if (value !== undefined) {
      decoded[length++] = value;
      at += 3;
    } else {
      const lineEnd = softBreakEnd(body, at + 1);
      if (lineEnd === undefined) decoded[length++] = byte;
      at = lineEnd ?? at + 1;
    }
  }
  return decoded.subarray(0, length);
}

// Blanks may follow the `=`; 200 of them are more than any mailer adds.
function softBreakEnd(body: Buffer, from: number): number | undefined {
  let at = from;
  while (at - from < 200 && (body[at] === 0x20 || body[at] === 0x09)) at++;
  if (body[at] === 0x0d) at++;
  if (body[at] === 0x0a) return at + 1;
  return at >= body.length ? at : undefined;
}

function hexByte(high: number | undefined, low: number | undefined): number | undefined {
  const [upper, lower] = [hexDigit(high), hexDigit(low)];
  return upper === undefined || lower === undefined ? undefined : upper * 16 + lower;
}

function hexDigit(code: number | undefined): number | undefined {
  if (code === undefined) return undefined;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : undefined;
}

// Each line: its length in bytes as a character from space on, then groups of four characters for three bytes.
function decodeUuencoded(body: Buffer): Buffer {
  const bytes: number[] = [];
  for (const line of body.toString("latin1").split(/\r?\n/)) {
    if (/^(?:begin \d|end\s*$|`?\s*$)/.test(line)) continue;
    const count = (line.charCodeAt(0) - 32) & 63;
    let written = 0;
    for (let at = 1; written < count && at < line.length; at += 4) {
      const [a, b, c, d] = [0, 1, 2, 3].map((offset) => (line.charCodeAt(at + offset) - 32) & 63) as [
        number,
        number,
        number,
        number,
      ];
      const group = [(a << 2) | (b >> 4), ((b & 15) << 4) | (c >> 2), ((c & 3) << 6) | d];
      bytes.push(...group.slice(0, count - written));
      written += 3;
    }
  }
  return Buffer.from(bytes);
}
