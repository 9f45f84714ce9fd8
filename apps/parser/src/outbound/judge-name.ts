/** `undefined` when the name may be public; else what it is instead. The addresses behind it are judged separately. */
export function judgeName(name: string): string | undefined {
  if (localNames.has(name)) return "a name of this machine or its network";
  if (!name.includes(".")) return "a name without a domain";
  return localSuffixes.some((suffix) => name.endsWith(suffix)) ? "a name of a private network" : undefined;
}

/** A host name as the guard compares it: lower case, without dots of the root at its end. */
export function toComparableName(host: string): string {
  return host.toLowerCase().replace(/\.+$/, "");
}

const localNames = new Set(["localhost", "localhost.localdomain", "metadata.google.internal"]);

// RFC 6761, 6762, 7686, 8375, 9476, the reserved `.internal` (ICANN, 2024), and the suffixes of name collisions.
const localSuffixes = [
  ".localhost",
  ".localdomain",
  ".local",
  ".internal",
  ".intranet",
  ".private",
  ".corp",
  ".home",
  ".lan",
  ".home.arpa",
  ".in-addr.arpa",
  ".ip6.arpa",
  ".onion",
  ".alt",
];
