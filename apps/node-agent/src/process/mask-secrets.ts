const mask = "***";

interface SecretPattern {
  readonly pattern: RegExp;
  /** Whether its first group stands before the secret, and its second behind it; both are shown. */
  readonly isFramed: boolean;
}

const bare = (pattern: RegExp): SecretPattern => ({ pattern, isFramed: false });
const framed = (pattern: RegExp): SecretPattern => ({ pattern, isFramed: true });

// Keys of well-known services, headers, assignments, and the user part of addresses. A log may have a line of many mebibytes: no
// pattern looks far ahead from each of its places.
const patterns: readonly SecretPattern[] = [
  bare(/\b(?:hf|gh[pousr]|glpat|xox[abprs])[_-][\w-]{10,}/g),
  bare(/\bsk-[\w-]{10,}/g),
  bare(/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g),
  bare(/\beyJ[\w-]{8,512}\.[\w-]{8,}\.[\w-]*/g),
  framed(/(\b(?:Bearer|Basic)\s+)[\w.~+/=-]{6,}/gi),
  framed(/((?:token|secret|password|passwd|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}/gi),
  framed(/(\b[a-z][\w+.-]{0,30}:\/\/)[^\s/@:]+:[^\s/@]+(@)/gi),
];

type Span = readonly [start: number, end: number];

/** A line of a log without what looks like a secret, and without the given ones. */
export function maskSecrets(line: string, secrets: readonly string[] = []): string {
  let masked = "";
  let end = 0;
  for (const [from, to] of findSecrets(line, secrets)) {
    masked += line.slice(end, from) + mask;
    end = to;
  }
  return masked + line.slice(end);
}

/** Where secrets stand in a line, in order, none touching another. */
function findSecrets(line: string, secrets: readonly string[]): readonly Span[] {
  const found = patterns.flatMap((pattern) => spansOf(line, pattern));
  for (const secret of secrets) {
    if (secret.length < leastSecretLength) continue;
    for (let at = line.indexOf(secret); at >= 0; at = line.indexOf(secret, at + 1))
      found.push([at, at + secret.length]);
  }
  const merged: [number, number][] = [];
  for (const [start, end] of found.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function spansOf(line: string, { pattern, isFramed }: SecretPattern): Span[] {
  return [...line.matchAll(pattern)].map(({ 0: whole, 1: before = "", 2: behind = "", index }): Span => {
    const end = index + whole.length;
    return isFramed ? [index + before.length, end - behind.length] : [index, end];
  });
}

/** Shorter ones would mask ordinary words. */
const leastSecretLength = 6;

const star = 0x2a;

/**
 * Bytes of a log with an asterisk for each byte of what looks like a secret, so that offsets stay true. Escape sequences and
 * control characters within a secret hide it no more than they do in a tail.
 */
export function maskBytes(bytes: Buffer): Buffer {
  const masked = Buffer.from(bytes);
  // One character for each byte; those beyond ASCII are letters of no pattern, and no space either.
  const text = masked.toString("latin1").replaceAll(/[\u0080-\u00FF]/g, "\u00FF");
  for (const { 0: line, index } of text.matchAll(/[^\n\r]+/g)) {
    const { plain, places } = withoutControls(line);
    for (const [from, to] of findSecrets(plain, [])) {
      masked.fill(star, index + placeOf(places, from), index + placeOf(places, to - 1) + 1);
    }
  }
  return masked;
}

/** Where a character of the plain text stands in the line. */
const placeOf = (places: readonly number[] | undefined, at: number): number => places?.[at] ?? at;

function withoutControls(line: string): { readonly plain: string; readonly places: readonly number[] | undefined } {
  if (line.search(anyControl) < 0) return { plain: line, places: undefined };
  const gaps = [...line.matchAll(unseen)].map(({ 0: { length }, index }): Span => [index, index + length]);
  const places: number[] = [];
  let plain = "";
  let at = 0;
  for (const [from, to] of [...gaps, [line.length, line.length] as const]) {
    plain += line.slice(at, from);
    for (let place = at; place < from; place++) places.push(place);
    at = to;
  }
  return { plain, places };
}

// CSI with its parameters, OSC up to BEL or ST, and other two-character escapes (ECMA-48).
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const escapeSequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/;
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const anyControl = /[\u0000-\u0008\u000B-\u001F\u007F]/;
const unseen = new RegExp(`${escapeSequence.source}|${anyControl.source}`, "g");

/** Text without escape sequences and control characters. */
export const plainText = (text: string): string => text.replaceAll(unseen, "");
