const mask = "***";

// Keys of well-known services, headers, assignments, and the user part of addresses.
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(?:hf|gh[pousr]|glpat|xox[abprs])[_-][\w-]{10,}/g, mask],
  [/\bsk-[\w-]{10,}/g, mask],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, mask],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, mask],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${mask}`],
  [
    /\b([\w-]*(?:token|secret|password|passwd|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}/gi,
    `$1${mask}`,
  ],
  [/(\b[a-z][\w+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, `$1${mask}@`],
];

/** A line of a log without what looks like a secret, and without the given ones. */
export function maskSecrets(line: string, secrets: readonly string[] = []): string {
  let masked = line;
  for (const secret of secrets) {
    if (secret.length >= leastSecretLength) masked = masked.replaceAll(secret, mask);
  }
  for (const [pattern, replacement] of patterns) masked = masked.replace(pattern, replacement);
  return masked;
}

/** Shorter ones would mask ordinary words. */
const leastSecretLength = 6;
